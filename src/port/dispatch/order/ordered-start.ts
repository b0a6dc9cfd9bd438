import type { Clock } from '../../../lib/clock.ts';
import { KeyedQueue } from '../../../lib/keyed-queue.ts';

/** A command waits no longer for an earlier one that doesn't start, in milliseconds. */
const patience = 5_000;

/** One command's turn to start. */
export interface StartTurn {
  /** Resolves when every earlier command of its key has started; then this one counts as started, too. */
  begin(): Promise<void>;
  /** It will not start. */
  leave(): void;
  /** A command was prepared with it, which then starts or leaves by itself. */
  claimed: boolean;
}

/**
 * Commands with the same key start in the order they came, however long each one's acknowledgement takes. A key with
 * nothing about to start takes no memory.
 */
export class OrderedStart {
  readonly #clock: Clock;
  readonly #queue = new KeyedQueue();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call in the order of arrival. */
  takeTurn(key: string): StartTurn {
    const { promise: turn, resolve: take } = Promise.withResolvers<void>();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    void this.#queue.run(key, () => {
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
