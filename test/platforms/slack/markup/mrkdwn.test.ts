import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mrkdwn } from '../../../../src/platforms/slack/markup/mrkdwn.ts';
import { renderSections, sectionPieces } from '../../../../src/platforms/slack/markup/sections.ts';
import type { Json } from '../../../fakes/slack/index.ts';
import { checkMessageBlocks } from '../../../fakes/slack/messages/block-kit.ts';
import { pingsIn } from '../../../fakes/slack/messages/formatting.ts';
import { isLinear } from '../../../is-linear.ts';

describe('Markdown in Slack’s own markup', () => {
  test.each([
    ['**bold** and __bold__', '*bold* and *bold*'],
    ['*it* and _it_', '_it_ and _it_'],
    ['***both***', '*_both_*'],
    ['~~gone~~', '~gone~'],
    ['`a * b` and ``c ` d``', '`a * b` and `c ` d`'],
    ['# Title **bold**', '*Title bold*'],
    ['##  C# and  F ## ', '*C# and  F*'],
    ['- one\n  - two\n* three', '• one\n  • two\n• three'],
    ['1. one\n2. two', '1. one\n2. two'],
    ['- [ ] open\n- [x] done', '☐ open\n☑ done'],
    ['> quoted **words**', '&gt; quoted *words*'],
    ['[label](https://a.example/?b=1&c=2)', '<https://a.example/?b=1&amp;c=2|label>'],
    ['![cat](https://a.example/cat.png)', '<https://a.example/cat.png|cat>'],
    ['\\*not\\*, \\~\\~not\\~\\~, but *it*', '\u2060*not\u2060*, \u2060~\u2060~not\u2060~\u2060~, but _it_'],
    ['\\\\*it* and \\\\\\*not*', '\u2060\\_it_ and \u2060\\\u2060*not*'],
    ['2 * 3 * 4 = 24', '2 * 3 * 4 = 24'],
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['---', '———'],
    ['```js\nconst a = "**x**";\n```', '```\nconst a = "**x**";\n```'],
    ['| a | b |\n|---|---|\n| 1 | 2 |\nafter', '```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\nafter'],
    ['````md\n```js\nx\n```\n````\n**after**', '```\n`\u200b`\u200b`js\nx\n`\u200b`\u200b`\n```\n*after*'],
    ['| a | ``` |\n**after**', '```\n| a | `\u200b`\u200b` |\n```\n*after*'],
    ['这是**重点**内容', '这是\u200b*重点*\u200b内容'],
    ['-# small', '_small_'],
    ['**Call `a*b` first**', '*Call `a*b` first*'],
    ['## The `**options`', '*The `**options`*'],
    ['my__odd__name and __init__', 'my__odd__name and *init*'],
    ['[Foo (bar)](https://a.example/Foo_(bar)) x', '<https://a.example/Foo_(bar)|Foo (bar)> x'],
    ['[the `run` command](https://a.example)', '<https://a.example|the run command>'],
    ['[https://a.example](https://a.example)', '<https://a.example|https://a.example>'],
    // Slack looks for no URLs in these texts, so they're marked as links.
    ['<https://a.example/x>', '<https://a.example/x>'],
    ['see https://a.example/*a*__b__?x=1&y=2.', 'see <https://a.example/*a*__b__?x=1&amp;y=2>.'],
    ['**https://a.example/x_(y)** (https://b.example)', '*<https://a.example/x_(y)>* (<https://b.example>)'],
    ['见https://a.example/x。', '见<https://a.example/x>。'],
    // Where it ends can't be told.
    ['见https://a.example/x潮汐', '见https://a.example/x潮汐'],
  ])('%j becomes %j', (markdown, expected) => {
    expect(mrkdwn(markdown)).toBe(expected);
  });

  test('rings for nobody, whatever is written', () => {
    const marks = fc.constantFrom(
      '<!channel>',
      '<@U123>',
      '<!subteam^S1>',
      '**',
      '`',
      '[x](',
      ')',
      '\n',
      '```',
      '<',
      '>',
      '|',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(marks, fc.string({ maxLength: 8 })), { maxLength: 30 }), (parts) => {
        expect(pingsIn(mrkdwn(parts.join('')))).toEqual([]);
      }),
    );
  });
});

describe('hostile Markdown', () => {
  const longest = 40_000;
  test.each([
    '**a ',
    '***a ',
    '__a ',
    '~~a ',
    '*a ',
    '**a __b ',
    '`a ',
    '[a](',
    '[a](https:(',
    'https://a(',
    '`a`',
  ])('takes time by its length and no more: %j', (pump) => {
    expect(isLinear(mrkdwn, pump, longest)).toBe(true);
    expect(isLinear(sectionPieces, pump, longest)).toBe(true);
    expect(isLinear((whole) => renderSections({ text: whole }), pump, longest)).toBe(true);
  });

  test('is split into pieces of which each is one message', () => {
    const text = 'A **bold** [link](https://e.example/?a=1&b=2) & <more>, `code`, 潮**汐**是.\n'.repeat(600);
    const pieces = sectionPieces(text);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.map((piece) => renderSections({ text: piece }).length)).toEqual(pieces.map(() => 1));
  });
});

describe('sections', () => {
  test('are ones that Slack takes, and hold every word once', () => {
    const lines = Array.from({ length: 900 }, (_, line) => `Line ${line}: "quoted" & <b>, 潮汐.\n\n`);
    const text = `\`\`\`\n${lines.join('')}\`\`\`\n\n${lines.join('')}`;
    const rendered = renderSections({ text, buttons: [{ id: 'a.b:c', label: 'Go' }] }, { header: 'ada' });
    expect(rendered.length).toBeGreaterThan(2);
    for (const { blocks } of rendered) checkMessageBlocks(blocks as unknown as Json[]);
    const all = JSON.stringify(rendered.map(({ blocks }) => blocks));
    for (const line of [0, 1, 450, 899]) expect(all.split(`Line ${line}: `)).toHaveLength(3);
    expect(rendered.map(({ blocks }) => blocks.some(({ type }) => type === 'actions'))).toEqual(
      rendered.map((_, index) => index === rendered.length - 1),
    );
    expect(rendered[0]?.blocks[0]?.type).toBe('context');
  });
});
