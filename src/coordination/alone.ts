import { EventEmitter } from 'node:events';
import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { randomId } from '../lib/random-id.ts';
import type { Coordination, Tally } from './coordination.ts';

/** A process that has its database to itself: everything is in memory. */
export function alone(): Coordination {
  const signals = new EventEmitter().setMaxListeners(0);
  const process = randomId();
  return {
    process,
    locks: new KeyedQueue(),
    signals: {
      async send(topic, text) {
        signals.emit(topic, text);
      },
      on(topic, listener) {
        signals.on(topic, listener);
        return () => void signals.off(topic, listener);
      },
    },
    others: {
      watch: () => () => {},
      isPresent: async (other) => other === process,
      living: async () => new Set([process]),
      async ended() {},
    },
    async close() {},
  };
}

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
