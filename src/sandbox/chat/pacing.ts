import { type Clock, sleep } from '../../lib/clock.ts';
import type { Switches } from '../switches.ts';

const wide =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3000-\\u303f\\uff00-\\uffef';
const piece = new RegExp(`\\s*(?:[${wide}]{1,2}|[^\\s${wide}]{1,16})|\\s+`, 'gu');
const startsWide = new RegExp(`^\\s*[${wide}]`, 'u');
const millisecondsPerWord = 20;
const millisecondsPerWidePiece = 25;

/** One delta of a streamed answer. */
export interface Delta {
  readonly text: string;
  /** How long a human-like pace rests after it. */
  readonly milliseconds: number;
}

/** Cuts a text into words, and ideographs two by two; together the deltas are the text. */
export function* cutIntoDeltas(text: string): Generator<Delta> {
  for (const [found] of text.matchAll(piece)) {
    const milliseconds = startsWide.test(found) ? millisecondsPerWidePiece : millisecondsPerWord;
    yield { text: found, milliseconds };
  }
}

/** Keeps a pace by the clock: what one rest takes too long, the next ones make up for. */
export class Pacer {
  readonly #clock: Clock;
  readonly #slowness: number;
  #due: number;

  constructor(clock: Clock, pace: Switches['pace']) {
    this.#clock = clock;
    this.#slowness = pace === 'instant' ? 0 : 1 / (pace === 'human' ? 1 : pace);
    this.#due = clock.now();
  }

  /** Rests so long at a human pace; rejects with the signal's reason when it is aborted. */
  async rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#slowness === 0) return;
    this.#due += milliseconds * this.#slowness;
    const wait = this.#due - this.#clock.now();
    if (wait >= 1) await sleep(this.#clock, wait, signal);
  }
}
