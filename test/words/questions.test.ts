import { describe, expect, it } from 'vitest';
import { spokenRequest } from '../../src/words/suggested-questions.ts';

describe('words said to the bot', () => {
  it.each([
    ['', {}],
    ['What can you do here?', {}],
    ['  what can you do  ', {}],
    ['你在这里能做什么？', {}],
    ['你能做什么', {}],
    ['HELP!', {}],
    ['How do you make a video?', { command: 'video' }],
    ['怎么让你画图？', { command: 'imagine' }],
  ])('%s: help', (text, options) => {
    expect(spokenRequest(text)).toEqual({ command: 'help', options });
  });

  it.each([
    'What can you do here for a cat?',
    'help me write a letter',
    '你能做什么菜？',
    'x'.repeat(100_000),
  ])('anything else is a question', (prompt) => {
    expect(spokenRequest(prompt)).toEqual({ command: 'ask', options: { prompt } });
  });
});
