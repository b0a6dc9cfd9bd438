import { spellOutTimestamps } from '../../../port/index.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** Replaces a bold mark while italics are looked for. */
const bold = '\u0001';
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
    } else lines.push(fence !== undefined || inTable ? escapeMrkdwn(line) : proseLine(line));
  }
  if (inTable) lines.push('```');
  return lines.join('\n');
}

/** A line that is neither code nor a table's. */
function proseLine(line: string): string {
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return '———';
  const heading = /^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
  if (heading !== undefined) return `*${inline(heading).replaceAll('*', '')}*`;
  const small = /^-# (.+)$/.exec(line)?.[1];
  if (small !== undefined) return `_${inline(small)}_`;
  const [, quote = '', indent = '', item = '', text = ''] =
    /^((?:> ?)*)(\s*)([-*+] (?:\[[ xX]\] )?)?(.*)$/.exec(line) ?? [];
  const mark = item === '' ? '' : item.length === 2 ? '• ' : /x/i.test(item) ? '☑ ' : '☐ ';
  return escapeMrkdwn(quote) + indent + mark + inline(text);
}

/** A run of backticks, and everything up to the next run of as many (CommonMark, section 6.1). */
const codeSpan = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;

/** Text with code, links, bold, italics and strikethrough. */
function inline(text: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: whole, 2: code = '', index } of text.matchAll(codeSpan)) {
    shown += `${words(text.slice(from, index))}\`${escapeMrkdwn(code)}\``;
    from = index + whole.length;
  }
  return shown + words(text.slice(from));
}

/** A label may have images; neither it nor the URL has another bracket, so it takes linear time. */
const linkOrImage =
  /!?\[((?:!\[[^[\]]*\]\([^()[\]\s]*\)|[^[\]])*)\]\((?:&lt;)?((?:https?:|mailto:)[^\s)[]+?)(?:&gt;)?(?:\s+"[^"[]*")?\)/g;
const imageInLabel = /!\[([^[\]]*)\]\([^()[\]\s]*\)/g;

function words(text: string): string {
  return escapeMrkdwn(text)
    .replace(linkOrImage, link)
    .replace(/(\*\*\*)(?=\S)(.+?)(?<=\S)\1/g, (...found) => marked(bold, found, '_'))
    .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, (...found) => marked(bold, found))
    .replace(/(\*)(?=[^\s*])([^*]+?)(?<=\S)\*/g, (...found) => marked('_', found))
    .replace(/(~~)(?=\S)(.+?)(?<=\S)~~/g, (...found) => marked('~', found))
    .replaceAll(bold, '*')
    .replace(/\\([\\`*_{}[\]()#+.!~|-])/g, `${wordJoiner}$1`);
}

function link(_: string, label: string, url: string): string {
  const name = label.replace(imageInLabel, '$1').replaceAll('|', '¦').trim();
  const address = url.replaceAll('|', '%7C');
  return name === '' ? `<${address}>` : `<${address}|${name}>`;
}

/** Slack sees a mark only at the edge of a word; Chinese has no such edges, so an invisible space makes one. */
function marked(
  mark: string,
  [whole, , inner, at, text]: readonly (string | number | undefined)[],
  within = '',
): string {
  const [before, after] = [String(text)[Number(at) - 1], String(text)[Number(at) + String(whole).length]];
  return `${edge(before)}${mark}${within}${inner}${within}${mark}${edge(after)}`;
}

function edge(next: string | undefined): string {
  return next !== undefined && /[\p{L}\p{N}]/u.test(next) ? zeroWidthSpace : '';
}
