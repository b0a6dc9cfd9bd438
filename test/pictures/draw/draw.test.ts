import { describe, expect, it } from 'vitest';
import { chrome } from './chrome.ts';
import { drawComponents } from './discord-components.ts';
import { html, wordsOf } from './html.ts';
import { discordMarkdown, mrkdwn, slackMarkdown } from './markdown.ts';
import { drawBlocks } from './slack-blocks.ts';

const nameOf = (reference: string) => ({ '<@1>': '@Ada', '<@U1>': '@Ben' })[reference];
const context = { nameOf, chrome: chrome.en, file: () => undefined };

describe('the drawings of what the test servers hold', () => {
  it('hide nothing: what they don’t know is a box with its name', () => {
    const discord = drawComponents([{ type: 99, what: 'this' }], context);
    expect(discord.source).toContain('class="unknown"');
    expect(wordsOf(discord)).toBe('component 99 {"type":99,"what":"this"}');
    const slack = drawBlocks([{ type: 'carousel', what: 'that' }], context);
    expect(slack.source).toContain('class="unknown"');
    expect(wordsOf(slack)).toContain('carousel block');
    const missing = { type: 12, items: [{ media: { url: 'attachment://gone.png' } }] };
    expect(wordsOf(drawComponents([missing], context))).toContain('gone.png');
  });

  it('show texts as texts, whatever is in them', () => {
    expect(html`<b>${'<i>&"'}</b>`.source).toBe('<b>&lt;i&gt;&amp;&quot;</b>');
    expect(discordMarkdown('<img src=x> <@1>', nameOf).source).toContain('&lt;img src=x&gt;');
    expect(slackMarkdown('<script>', nameOf).source).toContain('&lt;script&gt;');
  });

  it('know what Discord writes in a way of its own', () => {
    const drawn = discordMarkdown('> quoted\nafter\n-# small\n||hidden|| `<@1>` <@1>', nameOf).source;
    expect(drawn).toContain('<blockquote>\n<p>quoted</p>\n</blockquote>\n<p>after');
    expect(drawn).toContain('<small>small</small>');
    expect(drawn).toContain('<span class="spoiler">hidden</span>');
    expect(drawn).toContain('<code>&lt;@1&gt;</code> <span class="reference">@Ada</span>');
  });

  it('know Slack’s own markup', () => {
    expect(mrkdwn('*bold* _it_ ~gone~ `*code*`', nameOf).source).toBe(
      '<strong>bold</strong> <em>it</em> <s>gone</s> <code>*code*</code>',
    );
    expect(wordsOf(mrkdwn('<@U1> <https://example.com|here>', nameOf))).toBe('@Ben here');
  });
});
