import { describe, expect, it } from 'vitest';
import { splitMarkdown } from '../../src/reply/index.ts';

const maxLength = 200;
const split = (text: string, limit = maxLength) => splitMarkdown(text, { maxLength: limit });
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

describe('splitMarkdown', () => {
  it('leaves a text that fits alone', () => {
    expect(split('# Hello\n\nworld')).toEqual(['# Hello\n\nworld']);
  });

  it.each(['', '   ', '\n\n\t\n', '> \n>'])('makes no message of %j', (text) => {
    expect(split(text)).toEqual([]);
  });

  it('refuses a limit in which nothing could be closed and opened again', () => {
    expect(() => split('a', 199)).toThrow(new RangeError('maxLength is 199; allowed: 200 or more'));
    expect(() => split('a', Number.NaN)).toThrow(RangeError);
  });
});

describe('places to cut, best first', () => {
  it('between paragraphs', () => {
    const [one, other, third] = [words(15), words(10), words(25)];
    expect(split(`${one}\n\n${other}\n\n${third}`)).toEqual([`${one}\n\n${other}`, third]);
  });

  it('before a heading rather than under it', () => {
    const intro = `${words(22)}.`;
    expect(split(`${intro}\n\n## Title\n\n${words(20)}`)).toEqual([intro, `## Title\n\n${words(20)}`]);
  });

  it('under a heading rather than inside a word', () => {
    const title = `# ${words(18)}`;
    expect(split(`${title}\n\n${'x'.repeat(200)}`)).toEqual([title, 'x'.repeat(200)]);
  });

  it('never between a title and the line under it', () => {
    for (let shift = 1; shift < 60; shift++)
      for (const message of split(
        `${lines(9, () => 'This is a line.')}\n${'T'.repeat(shift)}\n=====\n${words(20)}`,
      ))
        expect(message).not.toMatch(/^=|T$/);
  });

  it('right after a fence that just fits', () => {
    for (let size = 150; size <= 200; size++) {
      const fence = `\`\`\`\n${'x'.repeat(size - 8)}\n\`\`\``;
      expect(split(`${fence}\n\n${words(30)}`)[0]).toBe(fence);
    }
  });

  it('between lines', () => {
    const poem = lines(12, (index) => `This is line ${index}.`);
    expect(split(poem).join('\n')).toBe(poem);
  });

  it('between sentences, with what closes them', () => {
    const sentence = 'She said: "That is how it was (more or less)." ';
    expect(split(sentence.repeat(8))).toEqual([sentence.repeat(4).trim(), sentence.repeat(4).trim()]);
  });

  it('between Chinese sentences, with what closes them', () => {
    const sentence = '他说：“事情就是这样的。”';
    expect(split(sentence.repeat(20))).toEqual([sentence.repeat(15), sentence.repeat(5)]);
  });

  it('between words', () => {
    const text = words(60);
    const messages = split(text);
    expect(messages.join(' ')).toBe(text);
    for (const message of messages.slice(0, -1)) expect(message.length).toBeGreaterThan(190);
  });

  it('between Chinese words where there is no punctuation', () => {
    const text = '我们在北京大学学习计算机科学'.repeat(30);
    const messages = split(text);
    expect(messages.join('')).toBe(text);
    const known = [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)].map(
      ({ index }) => index,
    );
    expect(known).toContain(messages[0]!.length);
  });

  it.each([
    ['one long word', 'x'],
    ['ideographs', '龘'],
    ['families', '👨‍👩‍👧‍👦'],
    ['flags', '🇨🇳'],
    ['skin tones', '👍🏽'],
    ['combining marks', 'e\u0323\u0301'],
    ['conjuncts', 'क्षि'],
  ])('anywhere between graphemes in %s without a break', (_, grapheme) => {
    const text = grapheme.repeat(Math.ceil(20_000 / grapheme.length));
    const messages = split(text, 2000);
    expect(messages.join('')).toBe(text);
    for (const message of messages) expect(message.length % grapheme.length).toBe(0);
    for (const message of messages.slice(0, -1)) expect(message.length).toBeGreaterThan(1900);
  });

  it('not at a space that a mark belongs to', () => {
    for (const message of split('ab \u0301cd'.repeat(100))) expect(message).not.toMatch(/^\u0301/);
  });

  it('not between a bracket and what it holds', () => {
    for (let shift = 0; shift < 20; shift++)
      for (const message of split(`${'前'.repeat(shift)}${'字（内容）'.repeat(100)}`))
        expect(message).not.toMatch(/（$|^）/);
  });

  it('inside a grapheme only where it is longer than a message, and not inside a surrogate pair', () => {
    const zalgo = `Z${'\u{1D165}'.repeat(300)}`;
    const messages = split(zalgo);
    expect(messages.join('')).toBe(zalgo);
    for (const message of messages) expect(message.isWellFormed()).toBe(true);
  });

  it('not where the rest would turn into a list, a heading or a quote', () => {
    const text = `${words(26)} so that 7 - 3 # 4 > 2 leaves 1. That is it, ${words(10)}`;
    for (let shift = 0; shift < 40; shift++)
      for (const message of split(`y${'y'.repeat(shift)} ${text}`)) expect(message).toMatch(/^\w/);
  });
});

describe('what is never cut', () => {
  const address = `https://example.com/${'path/'.repeat(12)}`;
  it.each([
    ['a link', `[the words of a link](${address})`],
    ['a link with a title', `[the words](${address} "with a title")`],
    ['an image', `![the words](${address})`],
    ['a reference link', '[the words of a link that is long][the name of the address that is long]'],
    ['a URL', address],
    ['a URL with brackets', `https://example.com/wiki/Tide_(disambiguation_of_a_long_word)${'x'.repeat(30)}`],
    ['a URL in angle brackets', `<${address}>`],
    ['inline code', '`const answer = await reply(one, other, and, a, third, one)`'],
    ['inline code with backticks in it', '``a ` b c d e f g h i j k l m n o p q r s t u v w``'],
  ])('%s', (_, atom) => {
    for (let before = 0; before < 40; before++) {
      const messages = split(`${words(before)} ${atom} ${words(40)}`);
      expect(messages.filter((message) => message.includes(atom))).toHaveLength(1);
    }
  });

  it('a link that takes most of a message, though the one before is less than half full then', () => {
    const link = `[words](https://example.com/${'p'.repeat(150)})`;
    expect(split(`${words(5)} ${link} ${words(3)}`)).toEqual([words(5), `${link} ${words(3)}`]);
  });

  it('but not what only might become a link or code', () => {
    for (const mark of ['[', '`']) {
      const [first] = split(`${words(5)} ${mark}unclosed ${words(60)}`);
      expect(first!.length).toBeGreaterThan(180);
    }
  });

  it('a link in a row that is too long, right under the head of its table', () => {
    const link = `[words](https://example.com/${'p'.repeat(60)})`;
    for (let before = 10; before < 30; before++) {
      const messages = split(`| a | b |\n|---|---|\n| ${words(before)} ${link} | end |`);
      expect(messages.filter((message) => message.includes(link))).toHaveLength(1);
    }
  });

  it('but a URL longer than a message is', () => {
    const messages = split(`https://example.com/${'p'.repeat(500)}`);
    expect(messages.join('')).toBe(`https://example.com/${'p'.repeat(500)}`);
  });
});

describe('bold, italic, strike and hidden words', () => {
  it.each(['**', '*', '_', '__', '~~', '***', '||'])('%s is closed and opened again', (marker) => {
    const text = `${marker}${words(60)}${marker}`;
    const messages = split(text);
    for (const message of messages) {
      expect(message.startsWith(`${marker}word`)).toBe(true);
      expect(message).toMatch(/\d$|\d[*_~|]+$/);
      expect(message.endsWith(marker)).toBe(true);
    }
    expect(messages.map((message) => message.slice(marker.length, -marker.length)).join(' ')).toBe(words(60));
  });

  it('hidden words over paragraphs, items, rows and code', () => {
    const parts = [
      words(15),
      `- ${words(20)}`,
      '| a | b |\n|---|---|\n| 1 || 2 |',
      '```\na || b\n```',
      words(20),
    ];
    const messages = split(`It was ||${parts.join('\n\n')} || there, ${words(30)}`);
    const last = messages.findIndex((message) => message.includes('|| there'));
    expect(last).toBe(2);
    for (const message of messages.slice(0, last)) expect(message).toMatch(/\|{2}$/);
    for (const message of messages.slice(1, last + 1)) expect(message).toMatch(/^\|{2}/);
    for (const message of messages.slice(last + 1)) expect(message).not.toContain('||');
  });

  it('hidden words in bold, with a part in italics', () => {
    const [first, second] = split(`**bold ||hidden _italic ${words(40)}_ hidden|| bold**`);
    expect(first).toMatch(/_\|\|\*\*$/);
    expect(second).toMatch(/^\*\*\|\|_word/);
  });

  it('nested ones too, in order', () => {
    const [first, second] = split(`**bold ~~struck ${words(40)}~~ bold** plain`);
    expect(first).toMatch(/~~\*\*$/);
    expect(second).toMatch(/^\*\*~~word/);
  });

  it('inside a quote and inside an item', () => {
    const [, quoted] = split(`> **${words(40)}**`);
    expect(quoted).toMatch(/^> \*\*word/);
    const [, item] = split(`- **${lines(20, (index) => `  bold line ${index}`).trim()}**`);
    expect(item).toMatch(/^ {2}\*\*bold line/);
  });

  it('asterisks and underscores that mark nothing are left alone', () => {
    const text = `2 * 3 and snake_case and ${words(20)} and \\*escaped and 5 * 6 ${words(20)}`;
    expect(split(text).join(' ')).toBe(text);
  });

  it('a marker that is never closed is not opened again on the last message', () => {
    const messages = split(`**${words(60)}`);
    expect(messages.at(-1)).toMatch(/^word/);
  });

  it('many such markers do not pile up', () => {
    for (const message of split('*a '.repeat(200))) expect(message).not.toMatch(/\*{2}/);
    expect(split(`${'`'.repeat(150)}${'x '.repeat(200)}`).length).toBeLessThan(5);
  });

  it('does not reach from a paragraph into a quote', () => {
    const messages = split(`unclosed **marker\n> ${words(60)}`);
    for (const message of messages.slice(1)) expect(message).toMatch(/^> word/);
  });

  it('is not parted from its markers', () => {
    for (let shift = 0; shift < 40; shift++) {
      const text = `${'字'.repeat(60 + shift)}**重要的一句话。**${'字'.repeat(20)}。**下一句**${'字'.repeat(150)}`;
      const messages = split(text);
      for (const message of messages) expect(message).not.toContain('****');
      expect(messages.join('').replaceAll('*', '')).toBe(text.replaceAll('*', ''));
    }
  });

  it.each(['**', '~~', '__', '||'])('is not parted inside its markers %s', (marker) => {
    for (let size = 180; size < 210; size++) {
      const messages = split(`${marker}${'x'.repeat(size)}${marker} after`);
      for (const message of messages)
        expect(message.split(marker)).toHaveLength(message.includes('x') ? 3 : 1);
    }
  });

  it('begins after a sentence where a message may end', () => {
    const text = `${'字'.repeat(120)}。**${'粗'.repeat(100)}**`;
    expect(split(text)).toEqual([`${'字'.repeat(120)}。`, `**${'粗'.repeat(100)}**`]);
  });

  it('Chinese text without spaces around its markers is understood', () => {
    const text = `${'**注意：**请仔细阅读本页。'.repeat(20)}`;
    expect(split(text).join('')).toBe(text);
  });
});

describe('fences', () => {
  it.each([
    ['backticks', '```js', '```'],
    ['more backticks', '`````markdown', '`````'],
    ['tildes', '~~~python', '~~~'],
    ['no language', '```', '```'],
  ])('of %s are closed and opened again with their language', (_, opening, closing) => {
    const code = lines(40, (index) => `let v${index} = ${index};`);
    const messages = split(`${opening}\n${code}\n${closing}`);
    for (const message of messages) {
      expect(message.startsWith(`${opening}\n`)).toBe(true);
      expect(message.endsWith(`\n${closing}`)).toBe(true);
    }
    const inside = messages.map((message) => message.slice(opening.length + 1, -closing.length - 1));
    expect(inside.join('\n')).toBe(code);
  });

  it('are not ended by shorter ones inside', () => {
    const messages = split(
      `\`\`\`\`md\n\`\`\`js\n${lines(20, (index) => `code(${index});`)}\n\`\`\`\n\`\`\`\`\nAfter.`,
    );
    expect(messages[1]).toMatch(/^`{4}md\ncode/);
    expect(messages.at(-1)).toMatch(/\n```\n````\nAfter\.$/);
  });

  it('in quotes stay in quotes', () => {
    for (const message of split(`> \`\`\`js\n${lines(30, (index) => `> line(${index});`)}\n> \`\`\``)) {
      expect(message).toMatch(/^> ```js\n> line/);
      expect(message).toMatch(/\n> ```$/);
    }
  });

  it('in lists keep their indentation, as far as it would not make code of them', () => {
    const shallow = split(`- item\n  \`\`\`js\n${lines(30, (index) => `  line(${index});`)}\n  \`\`\``);
    expect(shallow[1]).toMatch(/^ {2}```js\n {2}line\(/);
    const deep = split(
      `1. a\n   - b\n     - item\n       \`\`\`js\n${lines(30, (index) => `       line(${index});`)}\n       \`\`\`\n     - next`,
    );
    expect(deep[1]).toMatch(/^ {2}```js\n {2}line\(.*\n {2}```$/s);
    expect(deep.at(-1)).toMatch(/\n {2}```\n- next$/);
  });

  it('in lists hold code that is indented less than they are', () => {
    const code = lines(30, (index) => `line(${index});`);
    const messages = split(`1. a\n   - b\n     - item\n       \`\`\`js\n${code}\n       \`\`\``);
    for (const message of messages.slice(1)) expect(message).toMatch(/^ {2}```js\nline\(.*\n {2}```$/s);
  });

  it('under an item with a wide number stay in it', () => {
    const messages = split(`10. ${words(40)}\n    - \`\`\`\n      code\n      \`\`\``);
    expect(messages.at(-1)).toMatch(/\n {2}- ```\n {4}code\n {4}```$/);
  });

  it('are not what stands in one line', () => {
    const messages = split(`\`\`\`inline\`\`\`\n${words(60)}`);
    for (const message of messages.slice(1)) expect(message).not.toContain('`');
  });

  it('in quotes end with the quote', () => {
    const messages = split(`> \`\`\`js\n> code();\n\n${words(60)}`);
    for (const message of messages.slice(1)) expect(message).not.toContain('`');
    for (let count = 1; count < 30; count++)
      for (const message of split(`> \`\`\`js\n${lines(count, () => '> code();')}\n\n${words(60)}`))
        expect(message).not.toMatch(/```js\n> ```/);
  });

  it('that a paragraph precedes go whole into the next message where they fit there', () => {
    const fence = `\`\`\`js\n${lines(12, (index) => `line(${index});`)}\n\`\`\``;
    const intro = `${words(20)}:`;
    expect(split(`${intro}\n\n${fence}`)).toEqual([intro, fence]);
  });

  it('hold lines longer than a message, space kept', () => {
    const line = `a  =  "${'b '.repeat(300)}"`;
    const messages = split(`\`\`\`\n${line}\n\`\`\``);
    expect(
      messages
        .map((message) => message.slice(4, -4).trimEnd())
        .join('')
        .replaceAll(' ', ''),
    ).toBe(line.replaceAll(' ', ''));
  });

  it('leave no empty message behind where they end at a cut', () => {
    for (let count = 1; count < 40; count++)
      for (const message of split(
        `\`\`\`\n${'x'.repeat(count)}\n${lines(20, () => 'code();')}\n\n\n\`\`\`\n`,
      ))
        expect(message.replace(/[`\s]/g, '')).not.toBe('');
  });

  it('that never end are closed', () => {
    expect(split('Look:\n```js\ncode')).toEqual(['Look:\n```js\ncode\n```']);
  });
});

describe('tables', () => {
  const head = '| name | value |\n|:-----|------:|';
  it('keep their head', () => {
    const rows = lines(30, (index) => `| row ${index} | ${index * index} |`);
    const messages = split(`${head}\n${rows}`);
    expect(messages.length).toBeGreaterThan(2);
    for (const message of messages) expect(message.startsWith(`${head}\n| row`)).toBe(true);
    expect(messages.map((message) => message.slice(head.length + 1)).join('\n')).toBe(rows);
  });

  it('are not parted from it, however wide it is', () => {
    const wide = `| ${lines(9, (index) => `column ${index}`).replaceAll('\n', ' | ')} |\n|${' --------- |'.repeat(9)}`;
    for (let shift = 0; shift < 300; shift += 3) {
      const text = `${'y'.repeat(shift)} ${words(20)}\n${wide}\n${lines(6, () => '| a | b | c |')}`;
      for (const message of split(text, 400)) expect(message).not.toMatch(/^\| -|column 8 \|$|- \|$/);
    }
  });

  it('are not repeated after their end', () => {
    const messages = split(`${head}\n| a | b |\n\n${words(60)}`);
    expect(messages.slice(1).join(' ')).not.toContain('name');
  });

  it('have a row longer than a message go on in its own column', () => {
    const messages = split(`${head}\n| one | ${words(60)} |\n| two | 2 |`);
    expect(messages.length).toBeGreaterThan(2);
    for (const message of messages.slice(1)) expect(message.startsWith(`${head}\n| | word`)).toBe(true);
    expect(messages.at(-1)).toMatch(/ \|\n\| two \| 2 \|$/);
  });

  it('whose head takes too much room go on without it', () => {
    const wide = `| ${lines(12, (index) => `column ${index}`).replaceAll('\n', ' | ')} |`;
    const messages = split(`${wide}\n|${'---|'.repeat(12)}\n${lines(12, () => '| a | b | c |')}`, 300);
    expect(messages[1]).toMatch(/^\| a \| b/);
  });
});

describe('white space', () => {
  it.each([
    ['before a word', `a\n${' '.repeat(3_000)}b`, ['a', 'b']],
    ['between words', `a${' '.repeat(3_000)}b`, ['a', 'b']],
    ['between paragraphs', `a${'\n'.repeat(3_000)}b`, ['a', 'b']],
    ['at the end', `a${' \n'.repeat(3_000)}`, ['a']],
    ['in code', `\`\`\`\na\n${' '.repeat(3_000)}b\n\`\`\``, ['```\na\n```', '```\nb\n```']],
  ])('%s that fills messages makes none', (_, text, messages) => {
    expect(split(text)).toEqual(messages);
  });
});

describe('lists and quotes', () => {
  it('keep their markers', () => {
    const list = lines(30, (index) => `${index + 1}. item number ${index + 1}`);
    const messages = split(list);
    expect(messages.join('\n')).toBe(list);
    for (const message of messages) expect(message).toMatch(/^\d+\. item/);
  });

  it('lose depth that would read as code', () => {
    const messages = split(`- a\n  - b\n    - c\n${lines(20, (index) => `      - deep ${index}`)}\n- end`);
    for (const message of messages.slice(1)) expect(message).toMatch(/^ {0,3}- deep/);
    expect(messages.at(-1)).toMatch(/\n- end$/);
  });

  it('have numbers begin under what went on from the item before', () => {
    const messages = split(`9. ${words(40)}\n10. next`);
    expect(messages.at(-1)).toMatch(/\n\n10\. next$/);
  });

  it('go on as quotes inside a line', () => {
    for (const message of split(`> > ${words(60)}`)) expect(message).toMatch(/^> > word/);
  });
});

describe('a length of the platform', () => {
  it('is what counts', () => {
    const characters = (text: string) => [...text].length;
    const text = '🌊'.repeat(500);
    expect(splitMarkdown(text, { maxLength, length: characters })).toEqual([
      '🌊'.repeat(200),
      '🌊'.repeat(200),
      '🌊'.repeat(100),
    ]);
  });
});
