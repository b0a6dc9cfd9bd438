import { closingOf, indentOf, openingOf, outdentLine } from './open.ts';
import type { Scan } from './scan.ts';

/**
 * The message with the scanned text up to `place`, opened and closed so that it renders on its own. At the `end` of
 * the text, unclosed spans stay as written, but a fence is closed.
 */
export function renderMessage(scan: Scan, place: number, end = false): string {
  const { start } = scan;
  const open = scan.openAt(place);
  const closing = closingOf(end ? { ...open, spans: [] } : open);
  const body = bodyOf(scan, place, end).split('\n');
  const columns = outdentBody(scan, body);
  const numbered = numberedItem(scan);
  if (numbered > 0 && body[numbered] !== undefined) body[numbered] = `\n${body[numbered]}`;
  const opening = outdentAll(openingOf(start), start.outdent);
  return (opening + body.join('\n')).trimEnd() + outdentAll(closing, columns);
}

/** The text up to `place`; spans open at its start are reopened after any indentation. */
function bodyOf({ text, start, lines, spans, atoms }: Scan, place: number, end: boolean): string {
  const carried = start.spans.length === 0 ? [] : spans.filter((span) => span.start === span.inner);
  const closed = carried.filter((span) => !end || span.end <= text.length).map((span) => span.marker);
  const code = start.spans.length === 0 ? undefined : atoms.find((atom) => atom.code?.inner === atom.start);
  if (code?.code && !(end && code.open)) closed.push(code.code.marker);
  if (closed.length === 0) return text.slice(0, place);
  const quote = start.midLine ? '' : (lines[0]?.quote ?? '');
  const begin = quote.length + (start.midLine ? 0 : indentOf(text.slice(quote.length)).length);
  return text.slice(0, begin) + closed.join('') + text.slice(begin, place);
}

/** Removes the carried indentation from the lines; returns the columns still removed at their end. */
function outdentBody({ start, lines }: Scan, body: string[]): number {
  let columns = start.outdent;
  for (let index = start.midLine ? 1 : 0; columns > 0 && index < body.length; index++) {
    const line = lines[index];
    const written = body[index] ?? '';
    if (!line || line.quote || !written.trim()) continue;
    // Code may be indented less than its fence; that says nothing about the list around it.
    if (line.kind !== 'code') columns = Math.min(columns, line.indent);
    body[index] = outdentLine(written, columns);
  }
  return columns;
}

/**
 * The line of the next item if the message starts inside the previous one: without its marker that is a paragraph,
 * and in CommonMark only number 1 can start a list right after one. 0 if there is none.
 */
function numberedItem({ start, lines, text }: Scan): number {
  if (!start.list || lines[0]?.kind !== 'text') return 0;
  const next = lines.findIndex((line) => line.kind !== 'text');
  const line = lines[next];
  const starts = line && (line.kind === 'item' || line.kind === 'fence');
  return starts && /^\s*\d/.test(text.slice(line.start, line.end)) ? next : 0;
}

function outdentAll(text: string, columns: number): string {
  if (columns === 0) return text;
  return text
    .split('\n')
    .map((line) => outdentLine(line, columns))
    .join('\n');
}
