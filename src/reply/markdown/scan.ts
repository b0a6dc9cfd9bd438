import { type Atom, type Span, scanInline } from './inline.ts';
import {
  columnsOf,
  type Fence,
  type Line,
  type LineKind,
  nothingOpen,
  type Open,
  scanLines,
} from './lines.ts';

/** Indentation that CommonMark reads as code outside lists, and what it is reduced to. */
const codeIndent = 4;
const leftIndent = 2;

const startsBlock = new Set<LineKind>(['text', 'item', 'heading', 'row', 'head']);
const spansLines = new Set<LineKind>(['text', 'item']);
const goesOn = new Set<LineKind>(['text', 'underline']);

/** The structure of a text that begins at `start`. All offsets count from its start. */
export class Scan {
  readonly text: string;
  readonly start: Open;
  readonly lines: readonly Line[];
  readonly spans: readonly Span[];
  readonly atoms: readonly Atom[];

  constructor(text: string, start: Open = nothingOpen) {
    this.text = text;
    this.start = start;
    this.lines = scanLines(text, start);
    const blocks = blocksOf(this.lines).map((block) => {
      const carried = block.start === 0 ? start.spans : [];
      const found = scanInline(text.slice(block.start, block.end), block.end === text.length, carried);
      return {
        spans: found.spans.map((span) => movedSpan(span, block.start)),
        atoms: found.atoms.map((atom) => movedAtom(atom, block.start)),
      };
    });
    this.spans = blocks.flatMap((block) => block.spans);
    this.atoms = blocks.flatMap((block) => block.atoms);
  }

  /** The line with the character at `place`; the last line at the end of the text. */
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
    const fence = fenceAt(line, place);
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

  #spansAt(place: number): string[] {
    const open = this.spans.filter(({ inner, close }) => inner <= place && place <= close);
    const code = this.atoms.find(
      (atom) => atom.code && atom.code.inner <= place && place < atom.end + Number(atom.open),
    );
    return [...open.map((span) => span.marker), ...(code?.code ? [code.code.marker] : [])];
  }

  /** A row's cell at `place`, counted across an earlier cut of the row. */
  #cellAt(row: Line, place: number): number {
    const carried = row.start === 0 && this.start.midLine;
    const before = this.text.slice(row.start + (carried ? 0 : row.quote.length), place);
    const pipes = before.match(/(?<!\\)\|/g)?.length ?? 0;
    if (carried) return (this.start.table?.cell ?? 0) + pipes;
    return before.trimStart().startsWith('|') ? pipes - 1 : pipes;
  }

  #outdentAt(line: Line, midLine: boolean, fence: Fence | undefined): number {
    if (!line.list || line.quote || fence?.prefix.includes('>')) return 0;
    if (!fence && midLine && line.start === 0 && this.start.midLine) return this.start.outdent;
    const next = this.lines.find((other) => other.start >= line.start && other.kind !== 'blank');
    const indent = fence ? columnsOf(fence.prefix) : midLine ? line.contentIndent : (next?.indent ?? 0);
    return indent < codeIndent ? 0 : indent - leftIndent;
  }
}

function fenceAt(line: Line, place: number): Fence | undefined {
  if (line.kind === 'code') return line.fence;
  if (line.kind === 'fence') return place > line.start ? line.fence : undefined;
  return line.kind === 'fence-end' && place === line.start ? line.fence : undefined;
}

/** Paragraphs, items, headings and rows: the blocks that inline markup can span. */
function blocksOf(lines: readonly Line[]): { start: number; end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  let open: Line | undefined;
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last && open && goesOn.has(line.kind) && line.quote.trim() === open.quote.trim()) {
      last.end = line.end;
      continue;
    }
    open = spansLines.has(line.kind) ? line : undefined;
    if (startsBlock.has(line.kind)) blocks.push({ start: line.start, end: line.end });
  }
  return blocks;
}

function movedSpan(span: Span, by: number): Span {
  const { start, inner, close, end } = span;
  return { ...span, start: start + by, inner: inner + by, close: close + by, end: end + by };
}

function movedAtom({ start, end, code, open }: Atom, by: number): Atom {
  return {
    start: start + by,
    end: end + by,
    open,
    ...(code && { code: { ...code, inner: code.inner + by } }),
  };
}
