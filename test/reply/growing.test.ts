import { describe, expect, it } from 'vitest';
import {
  MarkdownSplitter,
  type Piece,
  splitMarkdown,
  type SplitOptions,
} from '../../src/reply/markdown/splitter.ts';

function growing(...deltas: string[]): string {
  const splitter = new MarkdownSplitter({ maxLength: 200 });
  for (const delta of deltas) splitter.append(delta);
  expect(splitter.takeFull()).toBeUndefined();
  return splitter.growing();
}

describe('a message under way', () => {
  it.each([
    ['an open fence', 'Look:\n```js\nconst a', 'Look:\n```js\nconst a\n```'],
    ['an open fence in a quote', '> ```js\n> const a', '> ```js\n> const a\n> ```'],
    ['an open fence in an item', '- ```js\n  const a', '- ```js\n  const a\n  ```'],
    ['bold', 'This is **very', 'This is **very**'],
    ['bold and italic', 'This is ***very', 'This is ***very***'],
    ['strike in bold', '**bold ~~struck', '**bold ~~struck~~**'],
    ['inline code', 'Call `reply', 'Call `reply`'],
    ['hidden words', 'It was ||the butler', 'It was ||the butler||'],
    ['hidden words in Chinese', '凶手是||管家', '凶手是||管家||'],
    ['hidden words behind a colon', 'It was:||the butler', 'It was:||the butler||'],
    ['hidden words behind a bracket', 'It was [ ||the butler', 'It was [ ||the butler||'],
    ['hidden words in bold', 'It was **really ||the _but', 'It was **really ||the _but_||**'],
    ['hidden paragraphs', 'It was ||the butler\n\n- in **the', 'It was ||the butler\n\n- in **the**||'],
    ['an empty cell', '| a | b |\n|---|---|\n|1||2', '| a | b |\n|---|---|\n|1||2'],
  ])('shows %s closed', (_, text, shown) => {
    expect(growing(text)).toBe(shown);
  });

  it.each([
    ['the first line of a fence', 'Look:\n```j', 'Look:'],
    ['half of a fence', 'Look:\n``', 'Look:'],
    ['half of a closing fence', '```\ncode\n``', '```\ncode\n```'],
    ['half of a closing marker', '**bold*', '**bold**'],
    ['a marker with nothing after it', 'word **', 'word'],
    ['the marker of an item', 'List:\n-', 'List:'],
    ['half of a surrogate pair', 'wave \ud83c', 'wave'],
  ])('holds back %s', (_, text, shown) => {
    expect(growing(text)).toBe(shown);
  });

  it.each(['', ' \n', '```', '**', '# ', '> ', '```js\n'])(
    'is nothing yet while there is only %j',
    (text) => {
      expect(growing(text)).toBe('');
    },
  );

  it('does not take a marker for open once its paragraph is over', () => {
    expect(growing('2 **stars\n\nNext')).toBe('2 **stars\n\nNext');
    expect(growing('P || Q\n\nNext')).toBe('P || Q\n\nNext');
    expect(growing('D(P||Q)\n\nNext')).toBe('D(P||Q)\n\nNext');
  });

  it('closes no bars where they hide nothing', () => {
    const splitter = new MarkdownSplitter({ maxLength: 200, hides: false });
    splitter.append('either ||or');
    expect(splitter.takeFull()).toBeUndefined();
    expect(splitter.growing()).toBe('either ||or');
  });

  it('puts together what arrives in pieces', () => {
    expect(growing('wave \ud83c', '\udf0a', ' **bo', 'ld')).toBe('wave 🌊 **bold**');
  });
});

describe('full messages', () => {
  it.each([
    ['spaces with and without a mark', `${'ab \u0301cd'.repeat(60)} ${'word '.repeat(60)}`],
    ['a mark after many spaces', `${'x'.repeat(190)}${' '.repeat(300)}\u0301${'word '.repeat(60)}`],
    ['white space', `word${' '.repeat(500)}word${'\n'.repeat(500)}word ${'word '.repeat(60)}`],
    ['fences', '```js\ncode();\n```\n\n~~~\ncode();\n~~~\n'.repeat(20)],
    ['tables', '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n'.repeat(20)],
  ])('are the same where a text arrives character by character: %s', (_, text) => {
    const splitter = new MarkdownSplitter({ maxLength: 200 });
    const messages: string[] = [];
    const take = (next: () => Piece | undefined) => {
      for (let piece = next(); piece; piece = next()) messages.push(piece.text);
    };
    for (const character of text) {
      splitter.append(character);
      take(() => splitter.takeFull());
    }
    take(() => splitter.takeRest());
    expect(messages).toEqual(splitMarkdown(text, { maxLength: 200 }));
  });
});

describe('what is shown', () => {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').length;
  const head = `| ${'name '.repeat(60)}| value |\n|---|---|\n`;
  it.each<[string, string, SplitOptions]>([
    ['of plain text', 'The sea rises and falls. '.repeat(300), { maxLength: 2000 }],
    ['of a table with a large head', head + '| a | b |\n'.repeat(500), { maxLength: 1000 }],
    [
      'where escaping begins late',
      `${'word '.repeat(400)}\n\n${'& '.repeat(900)}`,
      { maxLength: 2000, length: escaped },
    ],
  ])('is never far behind what has come: %s', (_, text, options) => {
    const splitter = new MarkdownSplitter(options);
    let shown = '';
    let changed = 0;
    for (let at = 0; at < text.length; at += 10) {
      splitter.append(text.slice(at, at + 10));
      let full = 0;
      while (splitter.takeFull()) full++;
      const now = splitter.growing();
      if (full > 0 || now !== shown) changed = at;
      shown = now;
      expect(at - changed).toBeLessThanOrEqual(200);
    }
  });
});
