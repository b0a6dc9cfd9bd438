/** A code fence whose end has not come yet. */
export interface Fence {
  /** The backticks or tildes, as many as were written. */
  readonly marker: string;
  /** What follows the marker on its line: the language. */
  readonly info: string;
  /** Quote marks and indentation that its lines carry, list markers replaced by spaces. */
  readonly prefix: string;
}

const longestInfo = 24;

/** A table whose rows go on. */
export interface Table {
  /** Head row and delimiter row, as written. */
  readonly head: string;
  /** The cell that goes on, counted from 0, where a row itself was cut. */
  readonly cell?: number;
}

/** What is open at a place in a text, and has to be opened again by a message that begins there. */
export interface Open {
  /** Whether the place is inside a line. */
  readonly midLine: boolean;
  readonly fence?: Fence;
  readonly table?: Table;
  /** Markers of bold, italic, strike and inline code, outermost first. */
  readonly spans: readonly string[];
  /** Quote marks of the line, where the place is inside one. */
  readonly quote: string;
  /** Whether the place is in a list. */
  readonly list: boolean;
  /** Columns that lines lose here, so that the depth of a list is not taken for indented code. */
  readonly outdent: number;
}

/** The beginning of a text. */
export const nothingOpen: Open = { midLine: false, spans: [], quote: '', list: false, outdent: 0 };

/** What a message that begins at `open` starts with, but for its spans. */
export function openingOf({ midLine, fence, table, quote }: Open): string {
  if (fence) return `${fence.prefix}${fence.marker}${shortInfo(fence)}\n${midLine ? fence.prefix : ''}`;
  if (!table) return quote;
  const emptyCells = table.cell === undefined ? '' : quote + '| '.repeat(table.cell + 1);
  return `${table.head}\n${emptyCells}`;
}

/** What a message that ends at `open` ends with, white space before it removed. */
export function closingOf({ fence, spans }: Open): string {
  return fence ? `\n${fence.prefix}${fence.marker}` : spans.toReversed().join('');
}

/** The language is the first word; what else stands there is repeated only where it is short. */
function shortInfo({ info }: Fence): string {
  return info.length <= longestInfo ? info : (/^\S*/.exec(info)?.[0] ?? '').slice(0, longestInfo);
}

/** Columns taken by white space, a tab reaching to the next multiple of four (CommonMark, section 2.2). */
export function columnsOf(whiteSpace: string): number {
  let columns = 0;
  for (const character of whiteSpace) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

/** The white space a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** A line without its first `columns` columns of white space; a tab cut in two leaves spaces. */
export function outdentLine(line: string, columns: number): string {
  const indent = indentOf(line);
  return ' '.repeat(Math.max(0, columnsOf(indent) - columns)) + line.slice(indent.length);
}
