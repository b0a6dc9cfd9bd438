import type { Clock } from '../../lib/clock.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';

/** Nobody waits longer for one who came before and does not begin, in milliseconds. */
const patience = 5_000;

/** One command's place in the order of arrival. */
export interface StartTurn {
  /** Resolves when everything that came before it in its line has begun; then this one has begun, too. */
  begin(): Promise<void>;
  /** It will not begin. */
  leave(): void;
  /** Whether a command was prepared with it, which then begins or leaves by itself. */
  claimed: boolean;
}

/**
 * Commands of one line begin in the order in which they came, however long each one's acknowledgement takes. A
 * line in which nothing is about to begin takes no memory.
 */
export class OrderedStart {
  readonly #clock: Clock;
  readonly #queue = new KeyedQueue();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call in the order of arrival. */
  takeTurn(line: string): StartTurn {
    const { promise: turn, resolve: take } = Promise.withResolvers<void>();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    void this.#queue.run(line, () => {
      take();
      return begun;
    });
    const cancel = this.#clock.after(patience, resolve);
    const leave = () => {
      cancel();
      resolve();
    };
    return {
      claimed: false,
      leave,
      begin: async () => {
        await turn;
        leave();
      },
    };
  }
}
