import { columnsOf, type Fence, indentOf, type Open } from './open.ts';

export type LineKind =
  | 'blank'
  | 'text'
  | 'heading'
  | 'underline'
  | 'rule'
  | 'item'
  | 'fence'
  | 'code'
  | 'fence-end'
  | 'head'
  | 'delimiter'
  | 'row';

/** A line of a text, with its structure. */
export interface Line {
  readonly start: number;
  /** End of the line, before its line feed. */
  readonly end: number;
  kind: LineKind;
  /** Leading quote marks, as written. */
  readonly quote: string;
  /** Columns of indentation, and columns before its content, after any list markers. */
  readonly indent: number;
  readonly contentIndent: number;
  /** The fence that it opens, continues or closes. */
  readonly fence?: Fence;
  /** The header of the table it belongs to. */
  readonly head?: string;
  readonly list: boolean;
}

const quoteMarks = /^[ \t]*>(?:[ \t]*>)*[ \t]?/;
const fenceOpening =
  /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(`{3,16}|~{3,16})[ \t]*([^ \t\n][^\n]*|)$/;
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;
const rule = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const item = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const itemMarkers = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*/;
const delimiterRow = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const partOfDelimiterRow = /^[ \t|:]*-[ \t|:-]*$/;
/** Longer fences aren't written in practice, and couldn't be repeated in every message. */
const longestPrefix = 24;

/**
 * Parses the lines of a text that starts at `open`. A fence in a list ends only at its closing line, however its
 * lines are indented: models indent code carelessly, and the platforms accept it.
 */
export function scanLines(text: string, open: Open): Line[] {
  const lines: Line[] = [];
  let { fence, list } = open;
  let head = open.table?.head;
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const previous = lines.at(-1);
    const carried = open.midLine && !previous;
    const written = text.slice(start, end);
    const quote = carried ? open.quote : quoteOf(written, fence);
    const rest = carried ? written : written.slice(quote.length);
    if (fence?.prefix.includes('>') && !quote && !carried) fence = undefined;
    if (head !== undefined && previous && previous.quote.trim() !== quote.trim()) head = undefined;

    const opened = fence || carried ? undefined : opensFence(rest, quote);
    let kind: LineKind;
    if (fence) kind = !carried && closesFence(rest, fence) ? 'fence-end' : 'code';
    else if (opened) kind = 'fence';
    else if (carried) kind = head === undefined ? 'text' : 'row';
    else kind = plainKind(rest, quote, previous, text, head !== undefined, newline < 0);

    if (kind === 'delimiter' && previous) previous.kind = 'head';
    if (kind !== 'row') head = undefined;
    if (!fence && !carried) list = staysInList(kind, rest, quote, previous, list);
    lines.push({
      start,
      end,
      kind,
      quote,
      indent: columnsOf(indentOf(rest)),
      contentIndent: columnsOf((itemMarkers.exec(rest)?.[0] ?? '').replace(/[^ \t]/g, ' ')),
      list,
      ...((fence ?? opened) && { fence: fence ?? opened }),
      ...(head !== undefined && { head }),
    } as Line);

    if (kind === 'delimiter' && previous) head = text.slice(previous.start, end);
    fence = kind === 'fence-end' ? undefined : (opened ?? fence);
    start = end + 1;
  }
  return lines;
}

/** Whether a line closes the fence: the same character, at least as many, not indented much deeper. */
export function closesFence(line: string, fence: Fence): boolean {
  const rest = line.slice(quoteOf(line, fence).length);
  const marker = rest.trim();
  return (
    marker.startsWith(fence.marker) &&
    marker === marker.charAt(0).repeat(marker.length) &&
    columnsOf(indentOf(rest)) <= columnsOf(fence.prefix.slice(quoteOf(fence.prefix).length)) + 3
  );
}

/** In an unquoted fence, `>` is code. */
function quoteOf(line: string, fence?: Fence): string {
  if (fence && !fence.prefix.includes('>')) return '';
  return quoteMarks.exec(line)?.[0] ?? '';
}

function opensFence(rest: string, quote: string): Fence | undefined {
  const [, before = '', marker, info = ''] = fenceOpening.exec(rest) ?? [];
  if (!marker || (marker.startsWith('`') && info.includes('`'))) return undefined;
  const prefix = quote + before.replace(/[^ \t]/g, ' ');
  return prefix.length > longestPrefix ? undefined : { marker, info: info.trim(), prefix };
}

function plainKind(
  rest: string,
  quote: string,
  previous: Line | undefined,
  text: string,
  inTable: boolean,
  cutOff: boolean,
): LineKind {
  if (rest.trim() === '') return 'blank';
  const above = previous?.kind === 'text' && previous.quote.trim() === quote.trim() ? previous : undefined;
  if (above && isDelimiterRow(rest, text.slice(above.start + above.quote.length, above.end), cutOff))
    return 'delimiter';
  if (heading.test(rest)) return 'heading';
  if (above && underline.test(rest)) return 'underline';
  if (rule.test(rest)) return 'rule';
  if (item.test(rest)) return 'item';
  return inTable ? 'row' : 'text';
}

function isDelimiterRow(rest: string, above: string, cutOff: boolean): boolean {
  if (!rest.includes('|') || !above.includes('|')) return false;
  if (cutOff && partOfDelimiterRow.test(rest)) return true;
  return delimiterRow.test(rest) && cellsIn(rest) === cellsIn(above);
}

function cellsIn(row: string): number {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/).length;
}

function staysInList(
  kind: LineKind,
  rest: string,
  quote: string,
  previous: Line | undefined,
  list: boolean,
): boolean {
  if (kind === 'item' || (kind === 'fence' && item.test(rest))) return true;
  if (!list || kind === 'blank' || quote || /^[ \t]/.test(rest)) return list;
  // An item's paragraph may continue without indentation.
  return kind === 'text' && previous !== undefined && previous.kind !== 'blank';
}
