/** An unclosed code fence. */
export interface Fence {
  /** Its backticks or tildes, as written. */
  readonly marker: string;
  /** The rest of its line: the language. */
  readonly info: string;
  /** Quote marks and indentation of its lines; list markers are replaced by spaces. */
  readonly prefix: string;
}

const longestInfo = 24;

/** A table with more rows to come. */
interface Table {
  /** Header row and delimiter row, as written. */
  readonly head: string;
  /** If a row was cut: its current cell, counted from 0. */
  readonly cell?: number;
}

/** What is open at a position in a text, and has to be reopened by a message that starts there. */
export interface Open {
  /** Whether the position is inside a line. */
  readonly midLine: boolean;
  readonly fence?: Fence;
  readonly table?: Table;
  /** Open markers of bold, italic, strikethrough and inline code, outermost first. */
  readonly spans: readonly string[];
  /** Quote marks of the line, if the position is inside one. */
  readonly quote: string;
  /** Whether the position is in a list. */
  readonly list: boolean;
  /** Columns removed from lines, so that list indentation isn't read as indented code. */
  readonly outdent: number;
}

/** The start of a text. */
export const nothingOpen: Open = { midLine: false, spans: [], quote: '', list: false, outdent: 0 };

/** The prefix of a message that starts at `open`, without its spans. */
export function openingOf({ midLine, fence, table, quote }: Open): string {
  if (fence) return `${fence.prefix}${fence.marker}${shortInfo(fence)}\n${midLine ? fence.prefix : ''}`;
  if (!table) return quote;
  const emptyCells = table.cell === undefined ? '' : quote + '| '.repeat(table.cell + 1);
  return `${table.head}\n${emptyCells}`;
}

/** The suffix of a message that ends at `open`, after removing trailing white space. */
export function closingOf({ fence, spans }: Open): string {
  return fence ? `\n${fence.prefix}${fence.marker}` : spans.toReversed().join('');
}

/** The language is the first word; the rest is repeated only if it is short. */
function shortInfo({ info }: Fence): string {
  return info.length <= longestInfo ? info : (/^\S*/.exec(info)?.[0] ?? '').slice(0, longestInfo);
}

/** Columns of white space; a tab extends to the next multiple of four (CommonMark, section 2.2). */
export function columnsOf(whiteSpace: string): number {
  let columns = 0;
  for (const character of whiteSpace) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

/** The leading white space of a line. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** A line without its first `columns` columns of white space; a split tab leaves spaces. */
export function outdentLine(line: string, columns: number): string {
  const indent = indentOf(line);
  return ' '.repeat(Math.max(0, columnsOf(indent) - columns)) + line.slice(indent.length);
}

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
  for (let start = 0; start <= text.length;) {
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
