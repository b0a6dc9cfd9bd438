import fc from 'fast-check';

/** Markdown as models write it: every block a document may hold, nested and long ones too. */
const latinWord = fc.stringMatching(/^[a-z]{1,12}$/);
const cjk = fc.stringMatching(/^[\u4e00-\u4e40]{2,30}[，。！？；]?$/);
const emoji = fc.constantFrom('👨‍👩‍👧‍👦', '🇨🇳', '👍🏽', 'é́', '🏳️‍🌈', 'ก็');
const inlineCode = fc.tuple(latinWord, latinWord).map(([one, other]) => `\`${one}(${other})\``);
const link = fc
  .tuple(latinWord, fc.stringMatching(/^[a-z/]{5,60}$/))
  .map(([label, path]) => `[${label} page](https://example.com/${path})`);
const url = fc.stringMatching(/^[a-z0-9/]{5,80}$/).map((path) => `https://example.org/${path}`);
const emphasis = fc
  .tuple(
    fc.constantFrom('**', '*', '~~', '_', '***', '||'),
    fc.array(latinWord, { minLength: 1, maxLength: 60 }),
  )
  .map(([marker, words]) => marker + words.join(' ') + marker);
const sentenceEnd = fc.constantFrom('', '', '', '.', '?', ',');
const phrase = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(latinWord, sentenceEnd).map((parts) => parts.join('')) },
  { weight: 4, arbitrary: cjk },
  { weight: 1, arbitrary: emoji },
  { weight: 1, arbitrary: inlineCode },
  { weight: 1, arbitrary: link },
  { weight: 1, arbitrary: url },
  { weight: 1, arbitrary: emphasis },
);

const prose = fc
  .array(fc.tuple(phrase, fc.constantFrom(' ', ' ', ' ', '\n')), { minLength: 1, maxLength: 80 })
  .map((parts) => parts.flat().join('').trim());
/** Paragraphs in which any two words may part. */
export const plainProse = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.tuple(latinWord, sentenceEnd).map((parts) => parts.join('')),
        cjk,
        emoji,
      ),
      fc.constantFrom(' ', ' ', ' ', '\n', '\n\n'),
    ),
    { minLength: 100, maxLength: 600 },
  )
  .map((parts) => parts.flat().join(''));

const unbroken = fc.oneof(
  fc.integer({ min: 50, max: 1500 }).map((count) => '语'.repeat(count)),
  fc.integer({ min: 50, max: 1500 }).map((count) => 'w'.repeat(count)),
  fc.integer({ min: 5, max: 150 }).map((count) => '👨‍👩‍👧‍👦'.repeat(count)),
  fc.integer({ min: 5, max: 700 }).map((count) => `https://example.com/${'u'.repeat(count)}`),
);
const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), latinWord)
  .map(([level, word]) => `${'#'.repeat(level)} ${word}`);

const codeLine = fc.oneof(
  fc.stringMatching(/^ {0,8}[a-z(){}=;,'"]{0,40}$/),
  fc.constantFrom('', '# not a heading', '> not a quote', '- not a list', '| a | b |', '``', '    ```', '~~'),
  fc.integer({ min: 100, max: 900 }).map((count) => `const long = ${'9'.repeat(count)};`),
);
export const fence = fc
  .tuple(
    fc.constantFrom('```', '````', '~~~', '`````'),
    fc.constantFrom('', 'js', 'typescript', 'python title="a"', 'c++'),
    fc.array(codeLine, { maxLength: 40 }),
  )
  .map(([marker, info, lines]) => [marker + info, ...lines, marker].join('\n'));

const cell = fc.oneof({ weight: 20, arbitrary: latinWord }, { weight: 1, arbitrary: prose });
const table = fc
  .tuple(
    fc.integer({ min: 2, max: 4 }),
    fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 1, maxLength: 25 }),
  )
  .map(([columns, rows]) => {
    const row = (cells: string[]) => `| ${cells.slice(0, columns).join(' | ')} |`.replaceAll('\n', ' ');
    return [row(['one', 'two', 'three', 'four']), row(Array(4).fill('---')), ...rows.map(row)].join('\n');
  });

const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);
const itemContent = fc.oneof({ weight: 5, arbitrary: prose }, { weight: 1, arbitrary: fence });
const nested = fc
  .array(fc.tuple(fc.constantFrom('- ', '1. '), itemContent), { minLength: 1, maxLength: 4 })
  .map((items) =>
    items.map(([marker, text]) => marker + indented(text, ' '.repeat(marker.length))).join('\n'),
  );
const list = fc
  .array(fc.tuple(fc.constantFrom('- ', '* ', '1. ', '10. '), itemContent, fc.option(nested)), {
    minLength: 1,
    maxLength: 6,
  })
  .map((items) =>
    items
      .map(([marker, text, inner]) => {
        const by = ' '.repeat(marker.length);
        return marker + indented(inner ? `${text}\n${inner}` : text, by);
      })
      .join('\n'),
  );
const quote = fc
  .array(fc.oneof({ weight: 3, arbitrary: prose }, { weight: 1, arbitrary: fence }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((blocks) => `> ${indented(blocks.join('\n\n'), '> ')}`);

const block = fc.oneof(
  { weight: 6, arbitrary: prose },
  { weight: 1, arbitrary: unbroken },
  { weight: 2, arbitrary: heading },
  { weight: 4, arbitrary: fence },
  { weight: 2, arbitrary: table },
  { weight: 3, arbitrary: list },
  { weight: 2, arbitrary: quote },
  { weight: 1, arbitrary: fc.constant('---') },
);

/** Whole documents. */
export const markdownDocument = fc
  .array(fc.tuple(block, fc.constantFrom('\n\n', '\n\n', '\n\n\n')), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.flat().join(''));

/** What no one writes: any run of characters that mean something. */
export const markupNoise = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          ...'`~*_|#>[]()<!-+1.\\ \n\t',
          ...['\n\n', '```', '~~~', '**', '| - |', '](', 'https://', '    '],
        ),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ...['word ', ' \u0301', '字', '。', '👍🏽', '🇨🇳', '\ud83d', '\ude00', 'a', ' ', '\r\n'],
        ),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            fc.constantFrom('`', '*', '[', ' ', '\n', '>', '|', 'x', '字', '~', '# '),
            fc.integer({ min: 2, max: 300 }),
          )
          .map(([text, count]) => text.repeat(count)),
      },
    ),
    { maxLength: 400 },
  )
  .map((parts) => parts.join(''));

/** The text cut into deltas at any places, surrogate pairs not spared. */
export function chunked(text: string): fc.Arbitrary<string[]> {
  return fc
    .array(fc.integer({ min: 1, max: Math.max(1, Math.ceil(text.length / 3)) }), {
      minLength: 1,
      maxLength: 60,
    })
    .map((sizes) => {
      const chunks: string[] = [];
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length] as number;
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      return chunks;
    });
}
