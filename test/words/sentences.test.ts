import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { spokenRequest } from '../../src/words/spoken-request.ts';

interface Sentence {
  readonly text: string;
  readonly lang: 'en' | 'zh';
  readonly command: string | null;
  readonly expect: 'order' | 'ask-first' | 'question';
}

/** By somebody who didn't write the rules. */
const sentences: readonly Sentence[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'sentences.json'), 'utf8'),
);
const dear = ['imagine', 'video', 'speak'];
const asked = (text: string) => spokenRequest(text, { commands });
/** The command that a message buys without a further question. */
const boughtBy = (text: string) => {
  const { command, instead } = asked(text);
  return dear.includes(command) && !instead ? command : undefined;
};

describe('natural sentences', () => {
  const others = sentences.filter((one) => one.expect !== 'order');
  const orders = sentences.filter((one) => one.expect === 'order');

  it('are more than a hundred and sixty, in both languages', () => {
    expect(sentences.length).toBeGreaterThan(160);
    for (const lang of ['en', 'zh'])
      for (const kind of ['order', 'ask-first', 'question'])
        expect(sentences.filter((one) => one.lang === lang && one.expect === kind).length).toBeGreaterThan(
          15,
        );
  });

  it('buy nothing where they ask or tell something, or could be either', () => {
    expect(others.filter(({ text }) => boughtBy(text) !== undefined)).toEqual([]);
  });

  it('are orders where they plainly are: nine in ten are carried out at once, as the right command', () => {
    const missed = orders.filter(({ text, command }) => boughtBy(text) !== command).map(({ text }) => text);
    expect(missed.length / orders.length).toBeLessThan(0.1);
    const named = new Set([
      // Slips of the keyboard: plain questions.
      'drwa a penguin surfing on a pizza',
      'vidoe of a fox jumping into fresh snow',
      // “Say” is for the words of an answer, too.
      'say "happy birthday Tom" in a voice clip',
      // These are asked about.
      'imagine red panda barista',
      'please draw a birthday card with a capybara on it for Jess, she turns 30 tomorrow',
      'hey can u draw a goblin merchant for my dnd session, tired eyes, huge backpack, lantern in one hand. need it in like 10 min thx',
    ]);
    expect(new Set(missed)).toEqual(named);
  });
});

describe('a message that could be either', () => {
  it.each([
    ['Imagine a world without money', 'imagine'],
    ['imagine a train leaves Chicago at noon', 'imagine'],
    ['can you draw me a cat?', 'imagine'],
    ['draw a cat?', 'imagine'],
    ['draw a flowchart of the login', 'imagine'],
    ['imagine: what if cats ruled the world?', 'imagine'],
    ['video both of them dancing', 'video'],
    ['video: https://example.com/talk', 'video'],
    ['speak: how are you?', 'speak'],
    ['能帮我画一只猫吗？', 'imagine'],
    ['想象一个没有钱的世界', 'imagine'],
    ['朗读 什么是爱', 'speak'],
  ])('%s: /%s, or an answer to the whole of it', (prompt, command) => {
    expect(asked(prompt)).toMatchObject({ command, instead: { command: 'ask', options: { prompt } } });
  });
});

describe('a question or a remark', () => {
  it.each([
    'video bitrate vs resolution, which matters more?',
    'video killed the radio star, who sang it?',
    'Video essay ideas for my history class',
    'video tutorial for blender?',
    'video tutorial for blender',
    'video not working on my phone, help',
    'Imagine a world without money. What would change?',
    'Imagine Dragons best songs?',
    'imagine not knowing that',
    'imagine my surprise when it failed',
    'speak of the devil',
    'draw me a conclusion',
    'draw attention to the deadline',
    'draw up a contract',
    'paint me a picture of what went wrong',
    'make a video call to the office',
    'create an image of what success means?',
    '画重点',
    '画家莫奈的生平',
    '画一只猫要多久',
    '视频打不开怎么办',
    '做一个视频网站',
    '视频 怎么剪辑',
  ])('%s: is answered', (prompt) => {
    expect(asked(prompt)).toEqual({ command: 'ask', options: { prompt } });
  });
});

describe('an order', () => {
  it.each<[string, string, object]>([
    ['draw a cat', 'imagine', { prompt: 'a cat' }],
    ['Please draw me a cat', 'imagine', { prompt: 'a cat' }],
    ['paint a sunset', 'imagine', { prompt: 'paint a sunset' }],
    ['make me a picture of two dogs', 'imagine', { prompt: 'a picture of two dogs' }],
    ['画一只猫', 'imagine', { prompt: '一只猫' }],
    ['请帮我画一只猫', 'imagine', { prompt: '一只猫' }],
    ['生成一张海边灯塔的图片', 'imagine', { prompt: '一张海边灯塔的图片' }],
    ['video of cats playing the piano', 'video', { prompt: 'cats playing the piano' }],
    ['video: a cat', 'video', { prompt: 'a cat' }],
    ['视频：冲浪的猫', 'video', { prompt: '冲浪的猫' }],
    ['做一个猫咪冲浪的视频', 'video', { prompt: '一个猫咪冲浪的视频' }],
    ['read this aloud: good evening', 'speak', { text: 'good evening' }],
    ['draw the sea --size 3k', 'imagine', { prompt: 'the sea', size: '3k' }],
  ])('%s: /%s', (text, command, options) => {
    const request = asked(text);
    expect(request).toMatchObject({ command, options });
    expect(request.instead).toBeUndefined();
  });
});
