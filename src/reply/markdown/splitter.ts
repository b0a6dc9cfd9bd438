import { chooseCut } from './cut.ts';
import { gapAt, isEmpty, unfinishedMarkup } from './gap.ts';
import { closingOf, nothingOpen, type Open, openingOf } from './open.ts';
import { renderMessage } from './render.ts';
import { Scan } from './scan.ts';

export interface SplitOptions {
  /** The longest message, in what `length` counts; at least `smallestMaxLength`. */
  readonly maxLength: number;
  /** A text's length as the place that shows it counts; by default UTF-16 code units. */
  readonly length?: (text: string) => number;
}

/** Below this a message could not hold what it has to open and close again. */
export const smallestMaxLength = 200;
/** How much of what follows is seen when a cut is chosen: enough to know what the next line begins. */
const lookahead = 64;

/** A message and the part of the text it shows; between two parts there is white space or a fence's end. */
export interface Piece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/**
 * A growing Markdown text → messages that render each on its own. Where a message ends depends on the text up
 * to a little past its end alone, so that a full message never changes, however the text arrives.
 */
export class MarkdownSplitter {
  readonly #maxLength: number;
  readonly #length: (text: string) => number;
  readonly #step: number;
  readonly #passed: string[] = [];
  readonly #arrived: string[] = [];
  /** Characters before the message under way. */
  #offset = 0;
  /** The text from the beginning of the message under way. */
  #tail = '';
  #open = nothingOpen;
  /** The number of characters measured next: the first multiple of `#step` not known to fit. */
  #reach: number;

  constructor({ maxLength, length = (text) => text.length }: SplitOptions) {
    if (!(maxLength >= smallestMaxLength))
      throw new RangeError(`maxLength is ${maxLength}; allowed: ${smallestMaxLength} or more`);
    this.#maxLength = maxLength;
    this.#length = length;
    this.#step = Math.min(256, Math.max(16, maxLength >> 5));
    this.#reach = this.#step;
  }

  /** Takes more text; the work is done when messages are asked for. */
  append(delta: string): void {
    this.#arrived.push(delta);
  }

  /** Everything that has arrived. */
  get text(): string {
    return this.#passed.join('') + this.#tail + this.#arrived.join('');
  }

  /** The next message that has become full; what it shows never changes any more. */
  takeFull(): Piece | undefined {
    this.#takeArrived();
    this.#skipGap();
    const window = isEmpty(this.#tail, this.#open) ? undefined : this.#fullWindow();
    return window === undefined ? undefined : this.#cut(window, this.#reach >> 1);
  }

  /** The message under way as it can be shown now, once none is full; empty where there is nothing to show yet. */
  growing(): string {
    const shown = this.#tail.slice(0, this.#tail.length - unfinishedMarkup(this.#tail));
    if (isEmpty(shown, this.#open)) return '';
    const scan = new Scan(shown, this.#open);
    const whole = renderMessage(scan, shown.length);
    if (this.#length(whole) <= this.#maxLength) return whole;
    return renderMessage(scan, chooseCut(scan, shown.length >> 1, this.#fits(scan)));
  }

  /** The next message of a text that has come to its end, the last one included. */
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

  /** As much of the text as a cut is chosen from, once there is surely more than a message holds. */
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

  /** What would take too much of the next message is not opened again there: a wide table's head, deep quotes. */
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
