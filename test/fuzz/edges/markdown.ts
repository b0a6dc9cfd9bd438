import assert from 'node:assert/strict';
import fc from 'fast-check';
import { richText } from '../../../src/platforms/console/api/markdown.ts';
import type { RichNode } from '../../../src/platforms/console/api/wire.ts';
import { maxMessageLength, messageBody, splitText } from '../../../src/platforms/discord/api/messages.ts';
import { render } from '../../../src/platforms/slack/markup/blocks.ts';
import {
  mentionedUsers,
  typedText,
  withoutMention,
  writtenText,
} from '../../../src/platforms/slack/markup/incoming-text.ts';
import {
  escapeMrkdwn,
  mrkdwn,
  plainWords,
  quietMarkdown,
} from '../../../src/platforms/slack/markup/mrkdwn.ts';
import { sectionsOf } from '../../../src/platforms/slack/markup/sections.ts';
import { splitMarkdown } from '../../../src/reply/index.ts';
import { markdownDocument, markupNoise } from '../../reply/documents.ts';
import { anyText, edge } from '../edge.ts';

const anyMarkdown = fc.oneof(
  markdownDocument,
  markupNoise,
  anyText,
  fc.array(anyText, { maxLength: 6 }).map((parts) => parts.join('\n')),
);

export const discordMarkdown = edge(
  'Markdown for Discord',
  fc.tuple(anyMarkdown, fc.array(fc.constantFrom('1', '2'), { maxLength: 2 }), fc.option(fc.webUrl())),
  ([text, mentions, link]) => {
    const texts = splitText({ text, mentions, ...(link !== null && { link }) });
    for (const one of texts) {
      assert.ok(one.length <= maxMessageLength && one.isWellFormed());
      assert.deepEqual(messageBody(one).allowed_mentions, { parse: [] });
    }
    if (texts.length > 1) assert.ok(texts.every((one) => one.trim() !== ''));
    assert.deepEqual(
      splitMarkdown(text, { maxLength: maxMessageLength }).filter((one) => one.length > maxMessageLength),
      [],
    );
  },
);

/** What rings for somebody in Slack's own markup and in its Markdown, unlike a comment or a declaration in code. */
const mention = /<(?:!(?!doctype)|[@#])\w/i;

export const slackMarkdown = edge('Markdown for Slack', anyMarkdown, (text) => {
  assert.doesNotMatch(quietMarkdown(text), mention);
  const shown = mrkdwn(text);
  for (const [reference] of shown.matchAll(/<[^>]*>?/g))
    assert.match(reference, /^<(?:https?:|mailto:)[^<>]*>$/i);
  const words = plainWords(text, 150);
  assert.ok(words.length <= 150 && !/[<>]/.test(words), words);
  for (const section of sectionsOf(text)) assert.ok((section.text?.text.length ?? 0) <= 3_000);
  const { text: fallback } = render({ text });
  assert.doesNotMatch(fallback ?? '', mention);
});

export const slackWritten = edge('what people write in Slack', anyMarkdown, (text) => {
  const visible = (written: string) => written.replaceAll('\u2060', '');
  assert.equal(visible(writtenText(escapeMrkdwn(text), () => undefined)), visible(text));
  const read = writtenText(text, (id) => (id === 'U1' ? 'Ada' : undefined));
  assert.doesNotMatch(visible(read), /<@U1(?:\|[^<>]*)?>/);
  typedText(text);
  mentionedUsers(text);
  assert.deepEqual(
    mentionedUsers(withoutMention(text, 'U1')).filter((id) => id === 'U1'),
    [],
  );
});

const tags = new Set(
  'p h1 h2 h3 h4 h5 h6 strong em s code pre blockquote small ul ol li a br hr table thead tbody tr th td'.split(
    ' ',
  ),
);

export const consoleMarkdown = edge('Markdown for the console', anyMarkdown, (text) => {
  for (const node of nodesOf(richText(text))) {
    if (typeof node === 'string') continue;
    const { tag, children, href, language, start, align, ...rest } = node;
    assert.ok(tags.has(tag), tag);
    assert.deepEqual(rest, {});
    assert.equal(tag === 'a', href !== undefined);
    if (href !== undefined) assert.match(href, /^(?:https?:\/\/|mailto:)/i);
  }
});

function* nodesOf(nodes: readonly RichNode[]): Generator<RichNode> {
  for (const node of nodes) {
    yield node;
    if (typeof node !== 'string') yield* nodesOf(node.children);
  }
}
