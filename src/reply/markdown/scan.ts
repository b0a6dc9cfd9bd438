import { type Line, type LineKind, scanLines } from './lines.ts';
import {
  closingOf,
  columnsOf,
  type Fence,
  indentOf,
  nothingOpen,
  type Open,
  openingOf,
  outdentLine,
} from './open.ts';
import { type Inline, scanInline } from './spans.ts';

/** Indentation that CommonMark takes for code where no list stands before it. */
const codeIndent = 4;
const leftIndent = 2;

const startsBlock = new Set<LineKind>(['item', 'heading', 'row', 'head']);
const goesOn = new Set<LineKind>(['text', 'underline']);

/** The structure of a stretch of text that begins at `open`, and the message that any part of it makes. */
export class Scan {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly inline: Inline = { spans: [], atoms: [] };
  readonly #open: Open;

  constructor(text: string, open: Open = nothingOpen) {
    this.text = text;
    this.#open = open;
    this.lines = scanLines(text, open);
    this.#scanBlocks();
  }

  /** The line that holds the character at `place`; the last one at the end of the text. */
  lineAt(place: number): Line {
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.lines[middle]?.start ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return this.lines[low] as Line;
  }

  /** What is open at `place`. */
  openAt(place: number): Open {
    const line = this.lineAt(place);
    const midLine = place > line.start;
    const fence = this.#fenceAt(line, place);
    const cell = midLine ? this.#cellAt(line, place) : undefined;
    return {
      midLine,
      spans: fence ? [] : this.#spansAt(place),
      quote: midLine && !fence ? line.quote : '',
      list: line.list,
      outdent: this.#outdentAt(line, midLine, fence),
      ...(fence && { fence }),
      ...(line.head !== undefined && { table: { head: line.head, ...(cell !== undefined && { cell }) } }),
    };
  }

  /**
   * The message that holds the text up to `place`, opened and closed so that it renders on its own.
   * At the `end` of everything unclosed spans are what was written; a fence is closed all the same.
   */
  render(place: number, end = false): string {
    const open = this.openAt(place);
    const closing = closingOf(end ? { ...open, spans: [] } : open);
    const opening = openingOf(this.#open);
    const body = this.#body(place, end).split('\n');
    const columns = this.#outdent(body);
    const numbered = this.#numberedItem();
    if (numbered > 0 && body[numbered] !== undefined) body[numbered] = `\n${body[numbered]}`;
    const start = outdentAll(opening, this.#open.outdent);
    return (start + body.join('\n')).trimEnd() + outdentAll(closing, columns);
  }

  /** The text up to `place` with the spans that go on through its beginning opened after any indentation. */
  #body(place: number, end: boolean): string {
    const { inline, text } = this;
    const spans = inline.spans.filter(
      (span) => span.start === span.inner && !(end && span.end > text.length),
    );
    const code = inline.atoms.filter((atom) => atom.code?.inner === atom.start && !(end && atom.open));
    const markers = [...spans.map((span) => span.marker), ...code.map((atom) => atom.code?.marker)].join('');
    if (!markers) return text.slice(0, place);
    const quote = this.#open.midLine ? '' : (this.lines[0]?.quote ?? '');
    const start = quote.length + (this.#open.midLine ? 0 : indentOf(text.slice(quote.length)).length);
    return text.slice(0, start) + markers + text.slice(start, place);
  }

  /** Takes the carried indentation from the lines; gives the columns that are still taken at their end. */
  #outdent(body: string[]): number {
    let columns = this.#open.outdent;
    for (let index = this.#open.midLine ? 1 : 0; columns > 0 && index < body.length; index++) {
      const line = this.lines[index];
      const written = body[index] ?? '';
      if (!line || line.quote || !written.trim()) continue;
      // Code may be indented less than its fence, which says nothing about the list around it.
      if (line.kind !== 'code') columns = Math.min(columns, line.indent);
      body[index] = outdentLine(written, columns);
    }
    return columns;
  }

  /**
   * The line with the next item, where the message begins inside the one before: without its marker that is
   * a paragraph, and CommonMark lets no number but 1 begin a list right under one. 0 where there is none.
   */
  #numberedItem(): number {
    if (!this.#open.list || this.lines[0]?.kind !== 'text') return 0;
    const next = this.lines.findIndex((line) => line.kind !== 'text');
    const line = this.lines[next];
    const starts = line && (line.kind === 'item' || line.kind === 'fence');
    return starts && /^\s*\d/.test(this.text.slice(line.start, line.end)) ? next : 0;
  }

  #scanBlocks(): void {
    const { lines, text } = this;
    for (let index = 0; index < lines.length; ) {
      const first = lines[index++] as Line;
      if (first.kind !== 'text' && !startsBlock.has(first.kind)) continue;
      let last = first;
      if (first.kind === 'text' || first.kind === 'item')
        for (let next = lines[index]; next && continues(next, first); next = lines[++index]) last = next;
      const carried = first.start === 0 ? this.#open.spans : [];
      const found = scanInline(text, first.start, last.end, last.end === text.length, carried);
      this.inline.spans.push(...found.spans);
      this.inline.atoms.push(...found.atoms);
    }
  }

  #spansAt(place: number): string[] {
    const { spans, atoms } = this.inline;
    const open = spans.filter(({ inner, close }) => inner <= place && place <= close);
    const code = atoms.find(
      (atom) => atom.code && atom.code.inner <= place && place < atom.end + Number(atom.open),
    );
    return [...open.map((span) => span.marker), ...(code?.code ? [code.code.marker] : [])];
  }

  #fenceAt(line: Line, place: number): Fence | undefined {
    if (line.kind === 'code') return line.fence;
    if (line.kind === 'fence') return place > line.start ? line.fence : undefined;
    return line.kind === 'fence-end' && place === line.start ? line.fence : undefined;
  }

  /** The cell that a row is in at `place`, counted on where the row was cut before. */
  #cellAt(row: Line, place: number): number {
    const carried = row.start === 0 && this.#open.midLine;
    const before = this.text.slice(row.start + (carried ? 0 : row.quote.length), place);
    const pipes = before.match(/(?<!\\)\|/g)?.length ?? 0;
    if (carried) return (this.#open.table?.cell ?? 0) + pipes;
    return before.trimStart().startsWith('|') ? pipes - 1 : pipes;
  }

  #outdentAt(line: Line, midLine: boolean, fence: Fence | undefined): number {
    if (!line.list || line.quote || fence?.prefix.includes('>')) return 0;
    if (!fence && midLine && line.start === 0 && this.#open.midLine) return this.#open.outdent;
    const next = this.lines.find((other) => other.start >= line.start && other.kind !== 'blank');
    const indent = fence ? columnsOf(fence.prefix) : midLine ? line.contentIndent : (next?.indent ?? 0);
    return indent < codeIndent ? 0 : indent - leftIndent;
  }
}

function continues(line: Line, first: Line): boolean {
  return goesOn.has(line.kind) && line.quote.trim() === first.quote.trim();
}

function outdentAll(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => outdentLine(line, columns))
    .join('\n');
}
