import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spokenRequest } from '../../src/words/spoken-request.ts';
import { commands } from '../fakes/commands.ts';

interface Sentence {
  readonly text: string;
  readonly lang: 'en' | 'zh';
  readonly command: string | null;
  readonly expect: 'order' | 'ask-first' | 'question';
}

/** The first two hundred by somebody who didn't write the rules, then by somebody who tried to break them; the last sixty by a third. */
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

  it('are more than four hundred, in both languages', () => {
    expect(sentences.length).toBeGreaterThan(400);
    for (const lang of ['en', 'zh'])
      for (const kind of ['order', 'ask-first', 'question'])
        expect(sentences.filter((one) => one.lang === lang && one.expect === kind).length).toBeGreaterThan(
          15,
        );
  });

  it('buy nothing where they ask or tell something, or could be either', () => {
    expect(others.filter(({ text }) => boughtBy(text) !== undefined)).toEqual([]);
  });

  it('are orders of the right command where they plainly are, or are asked about as such', () => {
    const missed = orders.filter(({ text, command }) => asked(text).command !== command);
    expect(missed.map(({ text }) => text)).toEqual([
      // Slips of the keyboard: plain questions.
      'drwa a penguin surfing on a pizza',
      'vidoe of a fox jumping into fresh snow',
      // “Say” is for the words of an answer, too.
      'say "happy birthday Tom" in a voice clip',
    ]);
  });

  it('buy no video without its name and a colon, or an option', () => {
    const bought = sentences.filter(({ text }) => boughtBy(text) === 'video').map(({ text }) => text);
    expect(bought.filter((text) => !/^(?:video|视频)[:：]|\s--\w/i.test(text))).toEqual([]);
  });

  it('are carried out at once where they order an image or a clip: five in six', () => {
    const others = orders.filter(({ command }) => command !== 'video');
    const atOnce = others.filter(({ text, command }) => boughtBy(text) === command);
    expect(atOnce.length / others.length).toBeGreaterThan(5 / 6);
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
    ['video of cats playing the piano', 'video'],
    ['make a video of a cat', 'video'],
    ['film: a cat surfing', 'video'],
    ['做一个猫咪冲浪的视频', 'video'],
    ['生成一段视频：海浪', 'video'],
    ['image: nginx', 'imagine'],
    ['draw a heart in LaTeX', 'imagine'],
    ['draw two cards', 'imagine'],
    ['speak Dutch', 'speak'],
    ['生成一张思维导图：Python基础', 'imagine'],
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

describe('a command from a phone’s keyboard', () => {
  it.each<[string, string, object]>([
    ['／imagine 猫', 'imagine', { prompt: '猫' }],
    ['／画图 猫 —size 2k', 'imagine', { prompt: '猫', size: '2k' }],
    ['／troupe 用量', 'usage', {}],
    ['imagine you and me –size 3k', 'imagine', { prompt: 'you and me', size: '3k' }],
  ])('%s', (text, command, options) => {
    expect(asked(text)).toMatchObject({ command, options });
    expect(asked(text)).not.toHaveProperty('instead');
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
    ['video: a cat', 'video', { prompt: 'a cat' }],
    ['视频：冲浪的猫', 'video', { prompt: '冲浪的猫' }],
    ['read this aloud: good evening', 'speak', { text: 'good evening' }],
    ['video a cat surfing --duration 8', 'video', { prompt: 'a cat surfing', duration: '8' }],
    ['draw the sea --size 3k', 'imagine', { prompt: 'the sea', size: '3k' }],
  ])('%s: /%s', (text, command, options) => {
    const request = asked(text);
    expect(request).toMatchObject({ command, options });
    expect(request.instead).toBeUndefined();
  });
});
