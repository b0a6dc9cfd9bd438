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

  /** `hides`: whether bars hide words. */
  constructor(text: string, start: Open = nothingOpen, hides = true) {
    this.text = text;
    this.start = start;
    this.lines = scanLines(text, start);
    const blocks = blocksOf(this.lines).map((block) => {
      const carried = block.start === 0 ? start.spans : [];
      const before = text.slice(0, block.end);
      const inline = new InlineScan(before, block.start, block.end === text.length, carried).result();
      return { ...block, ...inline };
    });
    this.atoms = blocks.flatMap((block) => block.atoms);
    const whole = this.atoms.filter((atom) => atom.code || !atom.open);
    const hidden = hides ? hiddenIn(text, blocks, whole, start.spans) : [];
    this.spans = [...blocks.flatMap((block) => block.spans), ...hidden].sort(
      (one, other) => one.start - other.start || one.order - other.order,
    );
  }

  /** The line with the character at `place`; the last line at the end of the text. */
  lineAt(place: number): Line {
    const last = lastFitting(this.lines.length - 1, (index) => (this.lines[index]?.start ?? 0) <= place);
    return this.lines[last] as Line;
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

/** The last place that fits, from 0 on, assuming that those before one that fits do too. */
export function lastFitting(last: number, fits: (place: number) => boolean): number {
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function fenceAt(line: Line, place: number): Fence | undefined {
  if (line.kind === 'code') return line.fence;
  if (line.kind === 'fence') return place > line.start ? line.fence : undefined;
  return line.kind === 'fence-end' && place === line.start ? line.fence : undefined;
}

interface Block {
  start: number;
  end: number;
  isRow: boolean;
}

/** Paragraphs, items, headings and rows: the blocks that inline markup can span. */
function blocksOf(lines: readonly Line[]): Block[] {
  const blocks: Block[] = [];
  let open: Line | undefined;
  for (const line of lines) {
    const last = blocks.at(-1);
    if (last && open && goesOn.has(line.kind) && line.quote.trim() === open.quote.trim()) {
      last.end = line.end;
      continue;
    }
    open = spansLines.has(line.kind) ? line : undefined;
    const isRow = line.kind === 'row' || line.kind === 'head';
    if (startsBlock.has(line.kind)) blocks.push({ start: line.start, end: line.end, isRow });
  }
  return blocks;
}

/** A stretch that breaks if cut: a link, a URL, inline code, an escaped character. */
interface Atom {
  readonly start: number;
  readonly end: number;
  /** Inline code: its backticks, and the start of its content (equal to the start if it was already open). */
  readonly code?: { readonly marker: string; readonly inner: number };
  /** Not closed yet; may turn out to be plain text. */
  readonly open: boolean;
}

interface Inline {
  readonly spans: readonly Span[];
  readonly atoms: readonly Atom[];
}

const urlCharacter = '[^\\s<>"`()\\u3000-\\u303f\\uff00-\\uffef]';
const url = `https?://(?:${urlCharacter}|\\(${urlCharacter}*\\))+`;
const token = new RegExp(`\\\\[^\\n]|\`+|\\*+|_+|~+|!?\\[|\\]|<[^\\s<>]+>|${url}`, 'g');
const trailingPunctuation = /[?!.,:;*_~'\]]$/;
const destination = /\((?:[^()\n\\]|\\.|\((?:[^()\n\\]|\\.)*\))*\)/y;
const unfinishedDestination = /\([^\n]*$/y;
const reference = /\[[^[\]\n]*\]/y;

/**
 * Inline content of the block at the end of a text, from `start` on. `unfinished`: more text may come; `carried`: markers
 * opened before it.
 */
class InlineScan {
  readonly #text: string;
  readonly #unfinished: boolean;
  readonly #atoms: Atom[] = [];
  readonly #emphasis: Emphasis;
  readonly #runs: BacktickRuns;
  /** Positions of unclosed brackets. */
  readonly #brackets: number[] = [];
  #at: number;

  constructor(text: string, start: number, unfinished: boolean, carried: readonly string[]) {
    this.#text = text;
    this.#at = start;
    this.#unfinished = unfinished;
    this.#runs = new BacktickRuns(text, start);
    this.#emphasis = new Emphasis(text, start, carried);
    const code = carried.find((marker) => marker.startsWith('`'));
    if (code) this.#code(code, start, start);
  }

  result(): Inline {
    for (;;) {
      token.lastIndex = this.#at;
      const found = token.exec(this.#text);
      if (!found) break;
      this.#at = token.lastIndex;
      this.#take(found[0], found.index);
    }
    const end = this.#text.length;
    const open = this.#unfinished ? this.#brackets.map((start) => ({ start, end, open: true })) : [];
    return { spans: this.#emphasis.spans(this.#unfinished), atoms: this.#atoms.concat(open) };
  }

  #take(word: string, start: number): void {
    const first = word.charAt(0);
    if (first === '`') this.#code(word, start, this.#at);
    else if ('*_~'.includes(first)) this.#emphasis.run(word, start);
    else if (word.endsWith('[')) this.#brackets.push(start);
    else if (first === ']') this.#link();
    else {
      if (first === 'h')
        while (trailingPunctuation.test(this.#text.slice(this.#at - 1, this.#at))) this.#at--;
      this.#atoms.push({ start, end: this.#at, open: false });
    }
  }

  #code(marker: string, start: number, inner: number): void {
    const close = this.#runs.next(marker.length, inner);
    if (close === undefined && !this.#unfinished) return;
    this.#at = close === undefined ? this.#text.length : close + marker.length;
    this.#atoms.push({ start, end: this.#at, code: { marker, inner }, open: close === undefined });
  }

  /** After a closing bracket: it is a link if an address or a reference follows. */
  #link(): void {
    const start = this.#brackets.pop();
    if (start === undefined) return;
    const end =
      this.#match(destination) ??
      this.#match(reference) ??
      (this.#unfinished ? this.#match(unfinishedDestination) : undefined);
    if (end === undefined) return;
    this.#at = end;
    this.#atoms.push({ start, end, open: false });
  }

  #match(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text) ? pattern.lastIndex : undefined;
  }
}

/** Positions of backtick runs from `start` on by length, indexed once per block; queried from left to right. */
class BacktickRuns {
  readonly #places = new Map<number, { all: number[]; passed: number }>();

  constructor(text: string, start: number) {
    const backticks = /`+/g;
    backticks.lastIndex = start;
    for (const { 0: run, index } of text.matchAll(backticks)) {
      const ofLength = this.#places.get(run.length) ?? { all: [], passed: 0 };
      ofLength.all.push(index);
      this.#places.set(run.length, ofLength);
    }
  }

  /** The first run of that length at or after `after`. */
  next(length: number, after: number): number | undefined {
    const ofLength = this.#places.get(length);
    if (!ofLength) return undefined;
    while ((ofLength.all[ofLength.passed] ?? after) < after) ofLength.passed++;
    return ofLength.all[ofLength.passed];
  }
}

/** A span of bold, italic or strikethrough, or that hides its words. */
export interface Span {
  readonly marker: string;
  /** Greater for a nested span. */
  readonly order: number;
  /** Start of the opening marker, and of the content. Equal if the span was already open. */
  readonly start: number;
  readonly inner: number;
  /** Start and end of the closing marker; Infinity while it may still come. */
  readonly close: number;
  readonly end: number;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What hides words on both sides of them (Discord's spoilers), over any number of blocks. */
const bars = '||';
/** Bars within a word; where words have no spaces between them, they may hide any. */
const betweenLetters = /^[\p{Script=Latin}\p{Script=Greek}\p{N}]\|\|[\p{Script=Latin}\p{Script=Greek}\p{N}]/u;

/**
 * The spans that hide words. `whole`: stretches in which bars are text; `carried`: markers opened before the text. An
 * operator (`a || b`, `P||Q`) opens none: all that follows would be hidden.
 */
export function hiddenIn(
  text: string,
  blocks: readonly (Stretch & { readonly isRow: boolean })[],
  whole: readonly Stretch[],
  carried: readonly string[],
): Span[] {
  const hidden: Span[] = [];
  const order = carried.indexOf(bars);
  let open = order < 0 ? undefined : openSpan(bars, order, 0, 0);
  let [block, stretch] = [0, 0];
  for (let at = text.indexOf(bars); at >= 0; at = text.indexOf(bars, at + bars.length)) {
    while ((blocks[block]?.end ?? text.length) <= at) block++;
    while ((whole[stretch]?.end ?? text.length) <= at) stretch++;
    const { start = text.length, isRow } = blocks[block] ?? {};
    // Between the cells of a row they hide nothing.
    if (start > at || isRow || (whole[stretch]?.start ?? text.length) <= at) continue;
    const after = at + bars.length;
    if (open) hidden.push({ ...open, close: at, end: after });
    const isOperator =
      !/\S/.test(text.charAt(after)) || betweenLetters.test(text.slice(Math.max(0, at - 1), after + 1));
    open = open || isOperator ? undefined : openSpan(bars, 0, at, after);
  }
  return open ? [...hidden, open] : hidden;
}

/**
 * Matches opening and closing markers in a block of text. More lenient than CommonMark for text without spaces
 * (`**注意：**请`), which Discord renders as intended.
 */
export class Emphasis {
  readonly #text: string;
  readonly #closed: Span[] = [];
  #open: Span[];
  #order: number;

  /** `carried`: markers opened before the block, which begins at `start`. */
  constructor(text: string, start: number, carried: readonly string[]) {
    this.#text = text;
    this.#open = carried.flatMap((marker, order) =>
      /^[`|]/.test(marker) ? [] : [openSpan(marker, order, start, start)],
    );
    this.#order = carried.length;
  }

  /** Adds a run of markers; call from left to right. */
  run(run: string, at: number): void {
    const character = run.charAt(0);
    if (run.length > 3 || (character === '~' && run.length !== 2)) return;
    const before = this.#text.charAt(at - 1) || ' ';
    const after = this.#text.charAt(at + run.length) || ' ';
    const insideWord = (neighbour: string) => character === '_' && /[\p{L}\p{N}]/u.test(neighbour);
    const closes = /\S/.test(before) && !insideWord(after) && this.#close(run, at, at + run.length);
    if (!closes && /\S/.test(after) && !insideWord(before)) this.#begin(run, at);
  }

  /** All spans, in order of their start. Unclosed ones count only while the block is `unfinished`. */
  spans(unfinished: boolean): Span[] {
    const all = unfinished ? [...this.#closed, ...this.#open] : this.#closed;
    return all.sort((one, other) => one.order - other.order);
  }

  #begin(run: string, start: number): void {
    // A run of three is bold and italic at once.
    const markers = run.length === 3 ? [run.slice(0, 2), run.slice(0, 1)] : [run];
    // A span doesn't nest in its own kind: an earlier unclosed marker is more likely a literal character.
    this.#open = this.#open.filter((span) => !markers.includes(span.marker));
    for (const marker of markers) this.#open.push(openSpan(marker, this.#order++, start, start + run.length));
  }

  #close(run: string, at: number, end: number): boolean {
    if (run.length === 3) {
      const both = [run.slice(0, 1), run.slice(0, 2)].map((marker) => this.#close(marker, at, end));
      return both.includes(true);
    }
    const index = this.#open.findLastIndex((span) => span.marker === run);
    const span = this.#open[index];
    if (!span) return false;
    this.#closed.push({ ...span, close: at, end });
    // Markers opened in between are literal, except the other half of a `***`.
    this.#open = this.#open.filter(
      (other, place) => place < index || (place > index && other.start === span.start),
    );
    return true;
  }
}

function openSpan(marker: string, order: number, start: number, inner: number): Span {
  return { marker, order, start, inner, close: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };
}
