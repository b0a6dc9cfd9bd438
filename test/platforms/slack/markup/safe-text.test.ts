import { describe, expect, test } from 'vitest';
import { render, wireLength } from '../../../../src/platforms/slack/markup/blocks.ts';
import {
  mentionedUsers,
  typedText,
  withNames,
  writtenText,
} from '../../../../src/platforms/slack/markup/incoming-text.ts';
import {
  escapeMrkdwn,
  mrkdwn,
  plainWords,
  quietMarkdown,
} from '../../../../src/platforms/slack/markup/mrkdwn.ts';
import { ringsAndLinks } from '../../../fakes/slack/messages/block-kit.ts';
import { plainPingsIn } from '../../../fakes/slack/messages/formatting.ts';
import { isLinear } from '../../../is-linear.ts';

describe('text to Slack', () => {
  test.each([
    '<!channel>',
    '<!here|x>',
    '<!everyone>',
    '<@U123>',
    '<!subteam^S1>',
    '`<!channel>`',
    '<<!here>',
  ])('a model that writes %s rings nobody', (text) => {
    expect(ringsAndLinks([text]).pings).not.toEqual(text.startsWith('`') ? ['x'] : []);
    expect(ringsAndLinks([quietMarkdown(text)]).pings).toEqual([]);
    expect(ringsAndLinks([escapeMrkdwn(text)]).pings).toEqual([]);
  });

  test.each([
    '@channel',
    'to @here!',
    '@Everyone',
    '_@here_ *@channel*',
    '你好@channel你好',
    '`@here`',
    '(@group)',
    '[@here](https://a.example)',
    '|https://a.example/x|@channel|',
    '[https://a.example/x]@channel',
    '“https://a.example/x”@here',
    '"https://a.example/x"/@here',
    '`https://a.example/x`@here',
    '_https://a.example/x_@here',
    '见 https://a.example/x，@channel',
    '<https://a.example/x>/@everyone',
    'http://@channel',
    'HTTPS:///@everyone',
    'https://.../@channel',
    'http://%/@here',
    'xhttps://a.example/@here',
  ])('plain words that ring for a channel stay words: %s', (text) => {
    expect(plainPingsIn(text)).not.toEqual([]);
    for (const quiet of [quietMarkdown, escapeMrkdwn, mrkdwn, (one: string) => plainWords(one, 100)])
      expect(plainPingsIn(quiet(text))).toEqual([]);
  });

  test.each(['ada@here.example', '@heresy', 'see https://a.example/@channel/1', '@ada'])(
    'others are left alone: %s',
    (text) => {
      expect(quietMarkdown(text)).toBe(text);
      expect(escapeMrkdwn(text)).toBe(text);
    },
  );

  test('code and quotes stay as they are', () => {
    const markdown = '> quote\n\n```html\n<div>a && b</div>\n```';
    expect(quietMarkdown(markdown)).toBe(markdown);
  });

  test.each(['<!DOCTYPE html>', '<!doctype html>', '<!-- a comment -->', '<![CDATA[x]]>', '<# a comment #>'])(
    'code that nobody is mentioned by stays as it is, to be copied: %s',
    (code) => {
      expect(quietMarkdown(`\`\`\`\n${code}\n\`\`\``)).toBe(`\`\`\`\n${code}\n\`\`\``);
    },
  );

  test('small print becomes emphasis', () => {
    expect(quietMarkdown('text\n-# 80 credits')).toBe('text\n_80 credits_');
  });

  test('plain words for notifications have no markup and are escaped', () => {
    expect(plainWords('## **Hi** [there](https://a.example) <!here>', 100)).toBe('Hi there &lt;!here&gt;');
    expect(plainWords('x'.repeat(50), 10)).toHaveLength(10);
  });

  test.each([
    ['see snake_case_name and 2 * 3, ~5 min', 'see snake_case_name and 2 * 3, ~5 min'],
    ['**bold**, *it*, _it_, __bold__, ***both***, ~~gone~~, `code`', 'bold, it, it, bold, both, gone, code'],
    ['这是**重点**：*斜体*字', '这是重点：斜体字'],
    ['https://a.example/a_b_c?x=*a*', 'https://a.example/a_b_c?x=*a*'],
    ['![a cat](https://a.example/c.png)', 'a cat'],
    ['\\*not\\*', '*not*'],
    ['`SELECT * FROM a_b`', 'SELECT * FROM a_b'],
    ['```\nconst a = b * c * d;\n```', 'const a = b * c * d;'],
  ])('they keep what formats nothing: %s', (markdown, words) => {
    expect(plainWords(markdown, 100)).toBe(words);
  });

  test('and are cut before an emoji, not in the middle of it', () => {
    expect(plainWords(`${'x'.repeat(98)}🌊🌊`, 100)).toBe(`${'x'.repeat(98)}…`);
    expect(plainWords(`${'*'.repeat(399)}🌊`, 100)).toBe('');
  });

  test('a length counts what goes over the wire', () => {
    expect(wireLength('a\n"b"')).toBe(8);
  });

  test('labels, questions and alternative texts are cut before an emoji, not in the middle of it', () => {
    const long = (most: number) => `${'x'.repeat(most - 1)}🌊🌊`;
    const confirm = { question: long(300), yes: long(30), no: long(30) };
    const button = { id: 'a.b:c', label: long(75), description: long(75), confirm };
    const images = [{ id: 'F1', altText: long(2_000) }];
    const votes = [
      { ...button, id: 'a.good:c', vote: 'good' as const },
      { ...button, id: 'a.bad:c', vote: 'bad' as const },
    ];
    const { blocks } = render({ text: 'x', buttons: [button, ...votes] }, { images }, 'feedback');
    expect(JSON.stringify(blocks)).toContain('xx');
    expect(JSON.stringify(blocks)).not.toContain('\\ud83c');
  });

  test('only the people named are mentioned', () => {
    const { text, blocks } = render({ text: 'look <@U666> <!channel>', mentions: ['U1'] });
    const inBlocks = blocks.map((block) => JSON.stringify(block)).join();
    expect(ringsAndLinks([inBlocks]).pings).toEqual(['U1']);
    expect(ringsAndLinks([text]).pings).toEqual(['U1']);
  });
});

describe('text from Slack', () => {
  test.each([
    ['a &amp; b &lt;c&gt;', 'a & b <c>'],
    ['see <https://a.example/x>', 'see https://a.example/x'],
    ['see <https://a.example/x|the page>', 'see the page (https://a.example/x)'],
    ['see <http://a.example|a.example>', 'see http://a.example'],
    ['in <#C1|general>', 'in #general'],
    ['<@U1> and <@U2|ben>', '@Ada and @ben'],
    ['<!here> <!subteam^S1|@team>', '@here @team'],
    ['<@U3> <!subteam^S2> <#C2> <#C3|>', '@… @… #… #…'],
    ['<!date^1^{date}|yesterday>', 'yesterday'],
    ['<mailto:a@b.example|a@b.example> or <tel:+15550100>', 'a@b.example or +15550100'],
    ['<mailto:a@b.example|Ann>', 'Ann (a@b.example)'],
  ])('%s', (text, read) => {
    expect(writtenText(text, (id) => (id === 'U1' ? 'Ada' : undefined))).toBe(read);
  });

  test('a command keeps the ids of people, groups and channels, and knows what they are called', () => {
    const { text, labels } = typedText(
      '&lt;b&gt; <@U1|bob> <!subteam^S1|@team> <#C1|general> <https://a.example>',
    );
    expect(text).toBe('<b> <@U1> <!subteam^S1> <#C1> https://a.example');
    expect(withNames(text, (id) => labels.get(id))).toBe('<b> @bob @team #general https://a.example');
    expect(withNames(text, () => undefined)).toBe('<b> @… @… #… https://a.example');
  });

  test.each([
    ['<@U1|', writtenText],
    ['<@U1', writtenText],
    ['<!subteam^S', writtenText],
    ['<https://a|', writtenText],
    ['<@U1|', typedText],
    ['<@U', mentionedUsers],
    ['[', plainWords],
    ['[a](', plainWords],
    ['[a]((', plainWords],
    ['](', plainWords],
    ['[a](b(c)', plainWords],
  ] as const)('a long text of nothing but %s is read in one go', (piece, read) => {
    const work = read as (text: string, other: unknown) => unknown;
    const other = read === plainWords ? 3_000 : () => undefined;
    // Not by looking from each piece to the end of the text.
    expect(isLinear((text) => work(text, other), piece, 160_000)).toBe(true);
  });

  test('an address with brackets is part of its link', () => {
    expect(plainWords('see [the page](https://a.example/x_(y)) now', 100)).toBe('see the page now');
  });

  test('mentions are found', () => {
    expect(mentionedUsers('<@U1> <@W2|x> @U3')).toEqual(['U1', 'W2']);
  });
});
