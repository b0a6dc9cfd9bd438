/** A span of bold, italic or strikethrough. */
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

/**
 * Matches opening and closing markers in a block of text. More lenient than CommonMark for text without spaces
 * (`**注意：**请`), which Discord renders as intended.
 */
export class Emphasis {
  readonly #text: string;
  readonly #closed: Span[] = [];
  #open: Span[];
  #order: number;

  /** `carried`: markers opened before the block. */
  constructor(text: string, carried: readonly string[]) {
    this.#text = text;
    this.#open = carried.map((marker, order) => openSpan(marker, order, 0, 0));
    this.#order = carried.length;
  }

  /** Adds a run of markers; call from left to right. */
  run(run: string, at: number): void {
    const character = run.charAt(0);
    if (run.length > 3 || (character === '~' && run.length !== 2)) return;
    const before = at > 0 ? this.#text.charAt(at - 1) : ' ';
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
