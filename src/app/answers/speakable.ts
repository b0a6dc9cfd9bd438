import type { Words } from '../../words/index.ts';

const fence = /^ {0,3}(`{3,}|~{3,})/;
/** Marks at the beginning of a line: headings, quotes, list items, Discord's small print. */
const lineMark = /^\s{0,8}(?:#{1,6} |> ?|[-*+] |-# )/;
const tableRule = /^[\s|:-]+$/;
/** `![alt](address)` and `[label](address)`; their parts have a maximum length, so that matching takes linear time. */
const link = /!?\[([^[\]\n]{0,500})\]\([^()\s]{0,2000}\)/g;
const bareAddress = /https?:\/\/([^\s/<>()]{1,253})[^\s<>()]{0,2000}/g;
const emphasis = /(\*{1,3}|_{2}|~~|`+)/g;

/** Markdown as one would read it aloud: without marks and addresses; code is only mentioned. */
export function speakable(markdown: string, { codeLeftOut }: Pick<Words, 'codeLeftOut'>): string {
  const lines: string[] = [];
  let closing: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, mark] = fence.exec(line) ?? [];
    if (closing !== undefined) {
      if (mark?.startsWith(closing)) closing = undefined;
    } else if (mark) {
      closing = mark;
      lines.push(codeLeftOut);
    } else lines.push(spokenLine(line));
  }
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function spokenLine(line: string): string {
  if (line.includes('|') && tableRule.test(line)) return '';
  let text = line.trimEnd();
  while (lineMark.test(text)) text = text.replace(lineMark, '');
  if (text.startsWith('|')) text = cells(text).join(', ');
  return text.replace(link, '$1').replace(bareAddress, '$1').replace(emphasis, '');
}

function cells(row: string): string[] {
  return row
    .split('|')
    .map((cell) => cell.trim())
    .filter(Boolean);
}

/** Where a sentence ends. */
const sentenceEnd = /[.!?…](?=\s)|[。！？；\n]/g;

/** The beginning of a text that has at most so many bytes of UTF-8, up to the end of a sentence where there is one. */
export function cutAtSentence(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const fitting = firstBytes(text, maxBytes);
  let end = 0;
  for (const match of fitting.matchAll(sentenceEnd)) end = match.index + match[0].length;
  // A sentence without an end in sight is cut between words.
  const space = fitting.lastIndexOf(' ');
  const cut = end > 0 ? end : space > 0 ? space : fitting.length;
  return fitting.slice(0, cut).trim();
}

function firstBytes(text: string, maxBytes: number): string {
  // A character that is cut in the middle decodes to U+FFFD.
  return Buffer.from(text)
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}
