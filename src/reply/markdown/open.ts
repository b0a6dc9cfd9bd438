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
export interface Table {
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
