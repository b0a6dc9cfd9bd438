import { describe, expect, test } from 'vitest';
import { markdownAfter } from '../../src/reply/index.ts';

describe('what of a message comes after its beginning', () => {
  test.each([
    ['some words, then more', 'some words, ', 'then more'],
    ['a **bold start that ends** here', 'a **bold start ', '**that ends** here'],
    [
      '```js\nconst a = 1;\nconst b = 2;\n```\nafter',
      '```js\nconst a = 1;\n',
      '```js\nconst b = 2;\n```\nafter',
    ],
    ['- one\n- two\n- three', '- one\n', '- two\n- three'],
    [
      '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      '| a | b |\n|---|---|\n| 3 | 4 |',
    ],
    ['all of it', 'all of it', ''],
    ['all of it\n\n', 'all of it', ''],
    ['潮汐是海水的涨落', '潮汐是', '海水的涨落'],
  ])('%j after %j', (text, before, after) => {
    expect(text.startsWith(before)).toBe(true);
    expect(markdownAfter(text, before.length)).toBe(after);
  });

  test('however many brackets are left open', () => {
    const open = '['.repeat(200_000);
    expect(markdownAfter(open, 1)).toBe(open.slice(1));
  });
});
