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
