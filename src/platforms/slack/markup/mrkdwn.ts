import { spellOutTimestamps } from '../../../port/index.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** Replaces a bold mark while italics are looked for. */
const bold = '\u0001';
/** Replace these marks where they're escaped, while emphasis is looked for; first what escapes them. */
const escapedMarks: readonly (readonly [mark: string, replaced: string])[] = [
  ['\\', '\u0005'],
  ['*', '\u0002'],
  ['_', '\u0003'],
  ['~', '\u0004'],
];
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
  if (heading !== undefined) return `*${inline(heading).replaceAll('*', '')}*`;
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
  const linked = escapedMarks.reduce(
    (shown, [mark, replaced]) => shown.replaceAll(`\\${mark}`, replaced),
    escapeMrkdwn(text).replace(linkOrImage, link),
  );
  const strong = emphasized(emphasized(linked, ['***'], `${bold}_`), ['**', '__'], bold);
  // Between two of these there is none, so each is looked at once.
  const italic = strong.replace(/\*(?=[^\s*])([^*]+?)(?<=\S)\*/g, (whole, inner, at) =>
    framed(strong, at, at + whole.length, `_${inner}_`),
  );
  return escapedMarks.reduce(
    (shown, [mark, replaced]) => shown.replaceAll(replaced, `${wordJoiner}${mark}`),
    emphasized(italic, ['~~'], '~')
      .replaceAll(bold, '*')
      .replace(/\\([\\`{}[\]()#+.!|-])/g, `${wordJoiner}$1`),
  );
}

function link(_: string, label: string, url: string): string {
  const name = label.replace(imageInLabel, '$1').replaceAll('|', '¦').trim();
  const address = url.replaceAll('|', '%7C');
  return name === '' ? `<${address}>` : `<${address}|${name}>`;
}

/**
 * Replaces pairs of marks by others, the second time in reverse. Where one finds no end, none after it does, so each character is looked at a fixed number of
 * times: a pattern would begin again at every mark.
 */
function emphasized(text: string, marks: readonly string[], as: string): string {
  const unpaired = new Set<string>();
  let shown = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = marks.find((one) => !unpaired.has(one) && opensAt(text, at, one));
    if (mark === undefined) continue;
    const end = closingAt(text, mark, at + mark.length + 1);
    if (end === -1) unpaired.add(mark);
    else {
      const next = end + mark.length;
      const inner = as + text.slice(at + mark.length, end) + as.split('').reverse().join('');
      shown += text.slice(from, at) + framed(text, at, next, inner);
      from = next;
      at = next - 1;
    }
  }
  return shown + text.slice(from);
}

/** Whether a mark stands before something. */
function opensAt(text: string, at: number, mark: string): boolean {
  return text.startsWith(mark, at) && /\S/.test(text[at + mark.length] ?? '');
}

/** Where the first mark behind something is, from a position on; -1 if there's none. */
function closingAt(text: string, mark: string, from: number): number {
  let at = text.indexOf(mark, from);
  while (at !== -1 && /\s/.test(text[at - 1] ?? '')) at = text.indexOf(mark, at + 1);
  return at;
}

/**
 * What stands for the part of a text from `at` to `end`. Slack sees a mark only at the edge of a word; Chinese has no such
 * edges, so an invisible space makes one.
 */
function framed(text: string, at: number, end: number, shown: string): string {
  return edge(text[at - 1]) + shown + edge(text[end]);
}

function edge(next: string | undefined): string {
  return next !== undefined && /[\p{L}\p{N}]/u.test(next) ? zeroWidthSpace : '';
}
