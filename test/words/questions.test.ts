import { describe, expect, it } from 'vitest';
import { spokenRequest } from '../../src/words/spoken-request.ts';
import { commands } from '../fakes/commands.ts';

const asked = (text: string, prefix?: string, hasFiles = false) =>
  spokenRequest(text, { commands, hasFiles, ...(prefix !== undefined && { prefix }) });

describe('a message that asks what the bot can do', () => {
  it.each([
    ['', {}],
    ['What can you do here?', {}],
    ['  what can you do  ', {}],
    ['What can you help me with?', {}],
    ['How do I use you?', {}],
    ['你在这里能做什么？', {}],
    ['你能做什么', {}],
    ['你有什么功能？', {}],
    ['你能帮我做什么', {}],
    ['HELP!', {}],
    ['/help', {}],
    ['帮助', {}],
    ['幫助', {}],
    ['你能做什麼？', {}],
    ['您會做甚麼', {}],
    ['怎麼讓你畫圖？', { command: 'imagine' }],
    ['/troupe', {}],
    ['How do you make a video?', { command: 'video' }],
    ['怎么让你画图？', { command: 'imagine' }],
    ['imagine', { command: 'imagine' }],
    ['video help', { command: 'video' }],
    ['画图 帮助', { command: 'imagine' }],
    ['/troupe imagine help', { command: 'imagine' }],
    ['help video', { command: 'video' }],
    ['帮助 视频', { command: '视频' }],
    ['帮助 video', { command: 'video' }],
  ])('%s: help', (text, options) => {
    expect(asked(text)).toMatchObject({ command: 'help', options });
  });
});

describe('a message that begins with a command', () => {
  it.each<[string, string, object]>([
    ['imagine a cat --size 3k', 'imagine', { prompt: 'a cat', size: '3k' }],
    ['Imagine a cat', 'imagine', { prompt: 'a cat' }],
    ['imagine: a cat', 'imagine', { prompt: 'a cat' }],
    ['画图 一只猫', 'imagine', { prompt: '一只猫' }],
    ['imagine: you and me on the moon', 'imagine', { prompt: 'you and me on the moon' }],
    ['imagine you and me --size 3k', 'imagine', { prompt: 'you and me', size: '3k' }],
    ['/imagine you and me', 'imagine', { prompt: 'you and me' }],
    ['speak: In the beginning was the word', 'speak', { text: 'In the beginning was the word' }],
    ['video: a cat', 'video', { prompt: 'a cat' }],
    ['画图：一只猫', 'imagine', { prompt: '一只猫' }],
    ['/画图 一只猫 --size 3k', 'imagine', { prompt: '一只猫', size: '3k' }],
    ['/speak Hello there', 'speak', { text: 'Hello there' }],
    ['朗读 你好', 'speak', { text: '你好' }],
    ['speak "-- how are you --" --speed 0.9', 'speak', { text: '-- how are you --', speed: '0.9' }],
    ['video a cat surfing --duration 8 --ratio 9:16', 'video', { prompt: 'a cat surfing', duration: '8' }],
    ['视频 冲浪的猫 duration:8', 'video', { prompt: '冲浪的猫', duration: '8' }],
    ['/troupe imagine a cat', 'imagine', { prompt: 'a cat' }],
    ['/ask why is the sky blue', 'ask', { prompt: 'why is the sky blue' }],
    ['ask why --model svc-llm-1.5-pro', 'ask', { prompt: 'why', model: 'svc-llm-1.5-pro' }],
    ['usage', 'usage', {}],
    ['Usage?', 'usage', {}],
    ['用量 --period week', 'usage', { period: 'week' }],
    ['usage period:week', 'usage', { period: 'week' }],
    ['renders', 'renders', {}],
    ['voices --language en', 'voices', { language: 'en' }],
    ['reset', 'reset', {}],
    ['/reset please', 'reset', {}],
    ['settings --model svc-llm-1.5-pro', 'settings', { model: 'svc-llm-1.5-pro' }],
    ['settings budgets', 'settings', { page: 'budgets' }],
    [
      '/settings answers --persona You are a pirate',
      'settings',
      { page: 'answers', persona: 'You are a pirate' },
    ],
    ['imagine a cat --siez 3k', 'imagine', { prompt: 'a cat', siez: '3k' }],
    ['imagine a cat --reference_1', 'imagine', { prompt: 'a cat', reference_1: 'reference_1' }],
    ['`/imagine a cat --size 3k`', 'imagine', { prompt: 'a cat', size: '3k' }],
    [' `usage` ', 'usage', {}],
  ])('%s: %s', (text, command, options) => {
    expect(asked(text)).toMatchObject({ command, options });
    expect(asked(text)).toMatchObject({ typed: expect.any(String) });
    expect(asked(text).instead).toBeUndefined();
  });

  it('takes a workspace’s prefix with a slash, and is named as it was typed', () => {
    expect(asked('/acme-imagine a cat', 'acme-')).toMatchObject({
      command: 'imagine',
      typed: '/acme-imagine',
    });
    expect(asked('/acme-troupe usage', 'acme-')).toMatchObject({ command: 'usage' });
    expect(asked('imagine a cat', 'acme-')).toMatchObject({ command: 'imagine', typed: 'imagine' });
    expect(asked('/troupe  Imagine a cat')).toMatchObject({ typed: '/troupe  Imagine' });
  });

  it('leaves a named file option to the files of the message', () => {
    expect(asked('imagine a cat --reference_1', '', true).options).toEqual({
      prompt: 'a cat',
      reference_1: '',
    });
  });
});

describe('any other message', () => {
  it.each([
    'What can you do here for a cat?',
    'help me write a letter',
    '你能做什么菜？',
    '画图软件哪个好',
    'ask me anything',
    'ask',
    'ask what git log --oneline does',
    'settings are wrong, why?',
    'reset my password how?',
    'usage of the word “tide”',
    'renders well?',
    'voices in my head',
    'imagined a cat',
    'Imagine you are a pirate. How would you greet me?',
    'Imagine you’re a pirate',
    'imagine if the moon was gone',
    'imagine that: what would change?',
    'speak to me like a pirate',
    'Speak English please',
    'video games are fun, aren’t they?',
    'Video call isn’t working, why?',
    '视频 怎么剪辑？',
    '画图 怎么学？',
    '/usr/bin/env does what?',
    '/imagine/a is a path',
    '/dance a tango',
    '/troupe dance',
    'a cat --size 3k',
    '`imagine` a cat',
    '```\nvideo: intro.mp4\n```',
    '`video: a cat` or `video: a dog`',
    '`a cat`',
    'x'.repeat(100_000),
    `${'imagine/'.repeat(20_000)}`,
  ])('%s: a question, word for word', (prompt) => {
    expect(asked(prompt)).toEqual({ command: 'ask', options: { prompt } });
  });
});
