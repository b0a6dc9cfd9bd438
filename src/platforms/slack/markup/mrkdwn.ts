import { spellOutTimestamps } from '../../../port/index.ts';
import { inlineMarkdown, type InlineStyle } from './inline-markdown.ts';
import { escapeMrkdwn } from './safe-text.ts';

const wordJoiner = '\u2060';
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
