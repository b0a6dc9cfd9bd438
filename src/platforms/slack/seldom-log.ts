import type { Clock } from '../../clock.ts';
import type { Log } from './log.ts';

/** So long passes between two lines, in milliseconds. */
const spacing = 60_000;

/** One warning that strangers could cause without end: a line a minute at most, with how often it was meant. */
export class SeldomLog {
  readonly #parts: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> };
  readonly #message: string;
  #count = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(parts: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> }, message: string) {
    this.#parts = parts;
    this.#message = message;
  }

  /** Says it, or counts it: `times` of the next line tells how many there were since the last. */
  note(detail: object): void {
    const { clock, log } = this.#parts;
    this.#count += 1;
    if (clock.now() - this.#saidAt < spacing) return;
    log.warn({ ...detail, times: this.#count }, this.#message);
    this.#count = 0;
    this.#saidAt = clock.now();
  }
}
