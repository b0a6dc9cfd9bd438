import { closesFence } from './lines.ts';
import type { Fence, Open } from './open.ts';

/** Deeper indentation isn't worth its space at the start of a message. */
const deepestIndent = 64;

/** Whether `text` renders as nothing given what is `open`: white space and empty quoted lines. */
export function isEmpty(text: string, { fence }: Open): boolean {
  return !(fence && !isQuoted(fence) ? /\S/ : /[^\s>]/).test(text);
}

/**
 * What to drop from a message that would start with `text`: white space, empty lines, and the end of an empty fence;
 * with what is open after that. `atEnd`: no more text comes.
 */
export function gapAt(text: string, open: Open, atEnd: boolean): { length: number; open: Open } {
  if (open.midLine) return gapInLine(text, open, atEnd);
  const blank = open.fence && !isQuoted(open.fence) ? /(?:[ \t]*\n)*/y : /(?:[ \t>]*\n)*/y;
  blank.lastIndex = 0;
  blank.test(text);
  const length = blank.lastIndex;
  const newline = text.indexOf('\n', length);
  const line = newline < 0 ? text.slice(length) : text.slice(length, newline);
  const { fence, ...others } = open;
  if (fence && (atEnd || newline >= 0) && closesFence(line, fence)) {
    const closed = Math.min(text.length, length + line.length + 1);
    const more = gapAt(text.slice(closed), others, atEnd);
    return { length: closed + more.length, open: more.open };
  }
  const indent = line.search(/\S/);
  return { length: indent > deepestIndent ? length + indent : length, open };
}

function gapInLine(text: string, open: Open, atEnd: boolean): { length: number; open: Open } {
  // A space with a combining mark isn't blank.
  const spaces = /^[ \t]*(?!\p{M})/u.exec(text)?.[0].length ?? 0;
  if (text.charAt(spaces) !== '\n') {
    const unknown = spaces === text.length;
    const code = open.fence !== undefined && spaces <= deepestIndent;
    return { length: unknown || code ? 0 : spaces, open };
  }
  const { table, ...others } = open;
  const next: Open = { ...others, midLine: false, quote: '', ...(table && { table: { head: table.head } }) };
  const more = gapAt(text.slice(spaces + 1), next, atEnd);
  return { length: spaces + 1 + more.length, open: more.open };
}

function isQuoted(fence: Fence): boolean {
  return fence.prefix.includes('>');
}

/** Length of the markup at the end of a growing text that more text may complete or change. */
export function unfinishedMarkup(text: string): number {
  const written = text.trimEnd();
  const line = written.lastIndexOf('\n') + 1;
  if (/^[ \t>]*(?:[-*+][ \t]+)?(?:`{3,}|~{3})[^`]*$/.test(written.slice(line))) return text.length - line;
  return /(?:[*_~`|#>[\\-]{1,8}[ \t]*|[\ud800-\udbff])$/.exec(text.slice(-16))?.[0].length ?? 0;
}
