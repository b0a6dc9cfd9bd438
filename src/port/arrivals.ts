import type { Clock } from '../clock.ts';

/** Nobody waits longer for one who came before and does not begin, in milliseconds. */
const patience = 5_000;

/** One command's place in the order of arrival. */
export interface Arrival {
  /** Resolves when everything that came before it in its place has begun; then this one has begun, too. */
  begin(): Promise<void>;
  /** It will not begin. */
  leave(): void;
}

/**
 * Commands of one place begin in the order in which they came, however long each one's acknowledgement takes. A
 * place where nothing is about to begin takes no memory.
 */
export class Arrivals {
  readonly #clock: Clock;
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call in the order of arrival. */
  arrive(place: string): Arrival {
    const before = this.#last.get(place);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    this.#last.set(place, begun);
    const cancel = this.#clock.after(patience, resolve);
    const leave = () => {
      cancel();
      resolve();
    };
    void begun.then(() => {
      if (this.#last.get(place) === begun) this.#last.delete(place);
    });
    return {
      leave,
      begin: async () => {
        await before;
        leave();
      },
    };
  }
}
