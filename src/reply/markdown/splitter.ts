import { chooseCut } from './cut.ts';
import { gapAt, isEmpty, unfinishedMarkup } from './gap.ts';
import { closingOf, nothingOpen, type Open, openingOf } from './open.ts';
import { renderMessage } from './render.ts';
import { Scan } from './scan.ts';

export interface SplitOptions {
  /** The longest message, as counted by `length`; at least `smallestMaxLength`. */
  readonly maxLength: number;
  /** Counts a text's length as its platform does; by default in UTF-16 code units. */
  readonly length?: (text: string) => number;
}

/** A shorter message couldn't hold the markup it has to open and close. */
export const smallestMaxLength = 200;
/** How much of the following text is considered for a cut: enough to see how the next line starts. */
const lookahead = 64;

/** A message and the part of the text it shows; white space or the end of a fence may lie between two parts. */
export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Splits a growing Markdown text into messages that each render on their own. Where a message ends depends only on
 * the text up to slightly past its end, so a full message never changes, however the text arrives.
 */
export class MarkdownSplitter {
  readonly #maxLength: number;
  readonly #length: (text: string) => number;
  readonly #step: number;
  readonly #passed: string[] = [];
  readonly #arrived: string[] = [];
  /** Characters before the current message. */
  #offset = 0;
  /** The text from the start of the current message. */
  #tail = '';
  #open = nothingOpen;
  /** Length measured next: the first multiple of `#step` not known to fit. */
  #reach: number;

  constructor({ maxLength, length = (text) => text.length }: SplitOptions) {
    if (!(maxLength >= smallestMaxLength))
      throw new RangeError(`maxLength is ${maxLength}; allowed: ${smallestMaxLength} or more`);
    this.#maxLength = maxLength;
    this.#length = length;
    this.#step = Math.min(256, Math.max(16, maxLength >> 5));
    this.#reach = this.#step;
  }

  /** Appends text; the work is deferred until messages are requested. */
  append(delta: string): void {
    this.#arrived.push(delta);
  }

  /** The whole text so far. */
  get text(): string {
    return this.#passed.join('') + this.#tail + this.#arrived.join('');
  }

  /** The next full message, which won't change any more. */
  takeFull(): Piece | undefined {
    this.#takeArrived();
    this.#skipGap();
    const window = isEmpty(this.#tail, this.#open) ? undefined : this.#fullWindow();
    return window === undefined ? undefined : this.#cut(window, this.#reach >> 1);
  }

  /** The current message as it can be shown now, after all full ones; empty if there is nothing to show yet. */
  growing(): string {
    const shown = this.#tail.slice(0, this.#tail.length - unfinishedMarkup(this.#tail));
    if (isEmpty(shown, this.#open)) return '';
    const scan = new Scan(shown, this.#open);
    const whole = renderMessage(scan, shown.length);
    if (this.#length(whole) <= this.#maxLength) return whole;
    return renderMessage(scan, chooseCut(scan, shown.length >> 1, this.#fits(scan)));
  }

  /** The next message of a finished text, including the last one. */
  takeRest(): Piece | undefined {
    const full = this.takeFull();
    if (full) return full;
    this.#skipGap(true);
    if (isEmpty(this.#tail, this.#open)) return undefined;
    const scan = new Scan(this.#tail, this.#open);
    const text = renderMessage(scan, this.#tail.length, true).toWellFormed();
    if (this.#length(text) > this.#maxLength) return this.#cut(this.#tail, this.#tail.length >> 1);
    const from = this.#offset;
    this.#pass(this.#tail.length);
    return { text, from, to: this.#offset };
  }

  #skipGap(atEnd = false): void {
    const gap = gapAt(this.#tail, this.#open, atEnd);
    if (gap.length > 0) this.#pass(gap.length);
    this.#open = gap.open;
  }

  #takeArrived(): void {
    this.#tail += this.#arrived.join('');
    this.#arrived.length = 0;
  }

  /** The text considered for a cut, if it is certainly longer than a message. */
  #fullWindow(): string | undefined {
    const opening = openingOf(this.#open);
    while (this.#tail.length >= this.#reach + lookahead) {
      if (this.#length(opening + this.#tail.slice(0, this.#reach)) > this.#maxLength)
        return this.#tail.slice(0, this.#reach + lookahead);
      this.#reach += this.#step;
    }
    return undefined;
  }

  #cut(window: string, half: number): Piece {
    const scan = new Scan(window, this.#open);
    const place = chooseCut(scan, half, this.#fits(scan));
    const text = renderMessage(scan, place).toWellFormed();
    const from = this.#offset;
    this.#open = this.#affordable(scan.openAt(place));
    this.#pass(place);
    this.#reach = this.#step;
    return { text, from, to: this.#offset };
  }

  #fits(scan: Scan): (place: number) => boolean {
    return (place) => this.#length(renderMessage(scan, place)) <= this.#maxLength;
  }

  /** Markup that would take too much of the next message isn't reopened: a wide table header, deep quotes. */
  #affordable({ table, ...open }: Open): Open {
    const half = this.#maxLength / 2;
    const fits = (one: Open) => this.#length(openingOf(one) + one.spans.join('') + closingOf(one)) <= half;
    const candidates = [{ ...open, ...(table && { table }) }, open, { ...open, quote: '', spans: [] }];
    return candidates.find(fits) ?? { ...nothingOpen, midLine: open.midLine };
  }

  #pass(count: number): void {
    this.#passed.push(this.#tail.slice(0, count));
    this.#tail = this.#tail.slice(count);
    this.#offset += count;
  }
}
