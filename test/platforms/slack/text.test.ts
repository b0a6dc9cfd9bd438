import { describe, expect, test } from 'vitest';
import { render, wireLength } from '../../../src/platforms/slack/blocks.ts';
import {
  escapeMrkdwn,
  mentionedUsers,
  plainWords,
  quietMarkdown,
  writtenText,
} from '../../../src/platforms/slack/text.ts';
import { ringsAndLinks } from '../../fakes/slack/block-kit.ts';

describe('text to Slack', () => {
  test.each(['<!channel>', '<!here|x>', '<!everyone>', '<@U123>', '<!subteam^S1>', '`<!channel>`'])(
    'a model that writes %s rings nobody',
    (text) => {
      expect(ringsAndLinks([text]).pings).not.toEqual(text.startsWith('`') ? ['x'] : []);
      expect(ringsAndLinks([quietMarkdown(text)]).pings).toEqual([]);
      expect(ringsAndLinks([escapeMrkdwn(text)]).pings).toEqual([]);
    },
  );

  test('code and quotes stay as they are', () => {
    const markdown = '> quote\n\n```html\n<div>a && b</div>\n```';
    expect(quietMarkdown(markdown)).toBe(markdown);
  });

  test('small print becomes emphasis', () => {
    expect(quietMarkdown('text\n-# 80 credits')).toBe('text\n_80 credits_');
  });

  test('plain words for notifications have no markup and are escaped', () => {
    expect(plainWords('## **Hi** [there](https://a.example) <!here>', 100)).toBe('Hi there &lt;!here&gt;');
    expect(plainWords('x'.repeat(50), 10)).toHaveLength(10);
  });

  test('a length counts what goes over the wire', () => {
    expect(wireLength('a\n"b"')).toBe(8);
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
  ])('%s', (text, read) => {
    expect(writtenText(text, (id) => (id === 'U1' ? 'Ada' : undefined))).toBe(read);
  });

  test('mentions are found', () => {
    expect(mentionedUsers('<@U1> <@W2|x> @U3')).toEqual(['U1', 'W2']);
  });
});
