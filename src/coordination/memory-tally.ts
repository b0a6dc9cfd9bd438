import type { Clock } from '../lib/clock.ts';
import type { Tally } from './coordination.ts';

/** Parts of a window that are forgotten as a whole: a window is longer by at most one. */
export const tallyParts = 10;

/** The {@link Tally} of one process. */
export class MemoryTally implements Tally {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #part: number;
  readonly #counts = new Map<number, number>();

  constructor(clock: Pick<Clock, 'steady'>, milliseconds: number) {
    this.#clock = clock;
    this.#part = milliseconds / tallyParts;
  }

  async add(count: number): Promise<number> {
    const now = Math.floor(this.#clock.steady() / this.#part);
    for (const part of this.#counts.keys()) if (part < now - tallyParts) this.#counts.delete(part);
    if (count > 0) this.#counts.set(now, (this.#counts.get(now) ?? 0) + count);
    return [...this.#counts.values()].reduce((sum, one) => sum + one, 0);
  }
}
