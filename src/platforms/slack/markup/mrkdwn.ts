import type { types } from '@slack/bolt';
import { beginningOf, shortened } from '../../../lib/text.ts';
import { spellOutTimestamps } from '../../../port/index.ts';
import { inlineMarkdown, type InlineStyle } from './inline-markdown.ts';

const wordJoiner = '\u2060';
/**
 * Plain words that Slack may take for a mention of a whole channel, and URLs, which may have them behind a slash after their
 * host (automatic parsing). Of other characters it isn't known whether a URL goes on behind them.
 */
const namesAndUrls =
  /(?<![a-z0-9])https?:\/\/[a-z0-9][a-z0-9.-]*(?::\d+)?(?:[/?#](?:[a-z0-9/:.?#&=%+-]|(?<=[a-z0-9/])@)*)?|(?<![a-z0-9])@(?=(?:channel|here|everyone|group)(?![a-z0-9]))/gi;

/** Separates the `@` of such words from the rest by an invisible character, whatever Slack parses where. */
function quietNames(text: string): string {
  return text.replace(namesAndUrls, (found) => (found === '@' ? `@${wordJoiner}` : found));
}

/** Escapes what Slack's own markup (mrkdwn) would take for a mention, a link or an entity. */
export function escapeMrkdwn(text: string): string {
  return quietNames(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A text from Slack without its escapes. */
export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** A text object in Slack's own markup, in which Slack looks for no names, channels or URLs in plain words. */
export function mrkdwnObject(text: string): types.MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** A text object in which Slack formats and mentions nothing, cut where it’s longer than Slack takes. */
export function plainText(text: string, most = Number.POSITIVE_INFINITY): types.PlainTextElement {
  return { type: 'plain_text', text: shortened(text, most) };
}

/** How `<!channel>`, `<@U…>`, `<#C…>` and others like them begin, as against comments and declarations in code. */
const mentionStart = /<(?=[!@#])(?!!--|!\[|!doctype\b|#\s)/gi;

/**
 * Markdown that mentions nobody: an invisible character separates `<` from what would make it a mention. Entities
 * would work too, but inside code Markdown shows them as they are.
 */
export function quietMarkdown(markdown: string): string {
  return smallPrint(quietNames(spellOutTimestamps(markdown).replace(mentionStart, `<${wordJoiner}`)));
}

/** Small print (`-# `) as emphasis: Slack’s Markdown has nothing else for it. */
function smallPrint(markdown: string): string {
  return markdown.replace(/^-# (.+)$/gm, '_$1_');
}

/** Whether a text has something that Slack would fetch for a preview. */
export function hasLink(text: string): boolean {
  return /https?:\/\/|www\.|\]\(/i.test(text);
}

/** Words alone. */
const plainStyle: InlineStyle = {
  bold: '',
  italic: '',
  strike: '',
  keepsUnderscores: false,
  code: (code) => code,
  link: (url, label, keep) => label || keep(url),
  literal: (mark) => mark,
  edge: () => '',
};

/** Markdown as plain text, for notifications and screen readers, at most `most` characters. */
export function plainWords(markdown: string, most: number): string {
  let isCode = false;
  const lines: string[] = [];
  // The rest is cut anyway, and this runs for every edit.
  for (const line of spellOutTimestamps(beginningOf(markdown, 4 * most)).split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    else lines.push(isCode ? escapeMrkdwn(line) : plainLine(line));
  }
  const escaped = lines.join(' ').replace(/\s+/gu, ' ').trim();
  if (escaped.length <= most) return escaped;
  return `${beginningOf(escaped, most - 1).replace(/&\w{0,3}$/, '')}…`;
}

function plainLine(line: string): string {
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return '';
  return inlineMarkdown(escapeMrkdwn(line.replace(/^(?:#{1,6}|>|-#)\s+/, '')), plainStyle);
}

const zeroWidthSpace = '\u200b';

/**
 * Markdown in Slack’s own markup, for where Slack takes no Markdown: the same text, with the formatting that this
 * markup has. It mentions nobody.
 */
export function mrkdwn(markdown: string): string {
  let fence: string | undefined;
  let inTable = false;
  const lines: string[] = [];
  for (const line of spellOutTimestamps(markdown).split('\n')) {
    const marker = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1];
    const isRow = fence === undefined && /^\s*\|.*\|\s*$/.test(line);
    if (isRow !== inTable) lines.push('```');
    inTable = isRow;
    if (marker !== undefined && (fence === undefined || marker.startsWith(fence))) {
      fence = fence === undefined ? marker : undefined;
      lines.push('```');
    } else lines.push(fence !== undefined || inTable ? codeLine(line) : proseLine(line));
  }
  if (inTable) lines.push('```');
  return lines.join('\n');
}

/** A line of code or of a table. Slack ends both at the first three backticks: an invisible space parts those in it. */
function codeLine(line: string): string {
  return escapeMrkdwn(line).replace(/`{3,}/g, (run) => [...run].join(zeroWidthSpace));
}

/** A line that is neither code nor a table's. */
function proseLine(line: string): string {
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return '———';
  const heading = headingOf(line);
  if (heading !== undefined) return `*${inlineMarkdown(escapeMrkdwn(heading), { ...slackStyle, bold: '' })}*`;
  const small = /^-# (.+)$/.exec(line)?.[1];
  if (small !== undefined) return `_${inline(small)}_`;
  const [, quote = '', indent = '', item = '', text = ''] =
    /^((?:> ?)*)(\s*)([-*+] (?:\[[ xX]\] )?)?(.*)$/.exec(line) ?? [];
  const mark = item === '' ? '' : item.length === 2 ? '• ' : /x/i.test(item) ? '☑ ' : '☐ ';
  return escapeMrkdwn(quote) + indent + mark + inline(text);
}

/** What a heading says, without the marks behind it. */
function headingOf(line: string): string | undefined {
  const marked = /^ {0,3}#{1,6}\s+(\S.*)$/.exec(line)?.[1]?.trimEnd();
  if (marked === undefined) return undefined;
  let end = marked.length;
  while (marked[end - 1] === '#') end -= 1;
  return marked.slice(0, end).trimEnd();
}

const slackStyle: InlineStyle = {
  bold: '*',
  italic: '_',
  strike: '~',
  keepsUnderscores: true,
  code: (code) => `\`${code}\``,
  link: (url, label, keep) => {
    if (!/^(?:https?|mailto):/i.test(url)) return undefined;
    return `<${keep(url.replaceAll('|', '%7C'))}${label && `|${label.replaceAll('|', '¦')}`}>`;
  },
  literal: (mark) => `${wordJoiner}${mark}`,
  edge,
};

/** Text with code, links, bold, italics and strikethrough. */
function inline(text: string): string {
  return inlineMarkdown(escapeMrkdwn(text), slackStyle);
}

/** Slack sees a mark only at the edge of a word; Chinese has no such edges, so an invisible space makes one. */
function edge(next: string | undefined): string {
  return next !== undefined && /[\p{L}\p{N}]/u.test(next) ? zeroWidthSpace : '';
}
