import { type Clock, sleep } from '../../lib/clock.ts';
import type { Behavior } from '../account/behavior.ts';

const wide =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3000-\\u303f\\uff00-\\uffef';
const piece = new RegExp(`\\s*(?:[${wide}]{1,2}|[^\\s${wide}]{1,16})|\\s+`, 'gu');
const startsWide = new RegExp(`^\\s*[${wide}]`, 'u');
const millisecondsPerWord = 20;
const millisecondsPerWidePiece = 25;

/** One delta of a streamed answer. */
export interface Delta {
  readonly text: string;
  /** Pause after it at reading speed. */
  readonly milliseconds: number;
}

/** Splits a text into words and pairs of ideographs; the deltas add up to the text. */
export function* cutIntoDeltas(text: string): Generator<Delta> {
  for (const [found] of text.matchAll(piece))
    yield {
      text: found,
      milliseconds: startsWide.test(found) ? millisecondsPerWidePiece : millisecondsPerWord,
    };
}

/** Paces the deltas by the clock; pauses that overrun are made up for. */
export class Pacer {
  readonly #clock: Clock;
  readonly #slowness: number;
  #due: number;

  constructor(clock: Clock, pace: Behavior['pace']) {
    this.#clock = clock;
    this.#slowness = pace === 'instant' ? 0 : 1 / (pace === 'human' ? 1 : pace);
    this.#due = clock.now();
  }

  /** Pauses for this long at reading speed; rejects with the signal's reason when aborted. */
  async rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#slowness === 0) return;
    this.#due += milliseconds * this.#slowness;
    const wait = this.#due - this.#clock.now();
    if (wait >= 1) await sleep(this.#clock, wait, signal);
  }
}
