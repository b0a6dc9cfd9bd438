import { spellOutTimestamps } from '../../../port/index.ts';

/** Escapes what Slack's own markup (mrkdwn) would take for a mention, a link or an entity. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const wordJoiner = '\u2060';
/** `<!channel>`, `<@U…>`, `<#C…>` and their like begin so. */
const mentionStart = /<(?=[!@#])/g;

/**
 * Markdown in which nothing rings: an unseen character parts `<` from what would make it a mention. Entities
 * would do too, but Markdown shows them as they are inside code.
 */
export function quietMarkdown(markdown: string): string {
  return smallPrint(spellOutTimestamps(markdown).replace(mentionStart, `<${wordJoiner}`));
}

/** Lines that begin with `-# ` are small print elsewhere; Slack's Markdown has emphasis for it. */
function smallPrint(markdown: string): string {
  return markdown.replace(/^-# (.+)$/gm, '_$1_');
}

/** How a piece of a growing text has to be held back so that no mention is cut in two. */
export function heldBack(text: string): number {
  return text.endsWith('<') ? 1 : 0;
}

/** Whether a text holds something Slack would fetch to show a preview of it. */
export function hasLink(text: string): boolean {
  return /https?:\/\/|www\.|\]\(/i.test(text);
}

/** A link in Markdown; its address may hold a pair of brackets. No part can run over what the next one begins with. */
const markdownLink = /\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g;

/** Markdown as plain words, for notifications and screen readers, at most `most` characters. */
export function plainWords(markdown: string, most: number): string {
  // What is far beyond that is not looked at: this is done for every edit.
  const plain = spellOutTimestamps(markdown.slice(0, 4 * most))
    .replace(/^```.*$/gm, '')
    .replace(/^(?:#{1,6}|>|-#)\s+/gm, '')
    .replace(/[*_~`]+/g, '')
    .replace(markdownLink, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
  const escaped = escapeMrkdwn(plain);
  if (escaped.length <= most) return escaped;
  return `${escaped.slice(0, most - 1).replace(/&\w{0,3}$/, '')}…`;
}
