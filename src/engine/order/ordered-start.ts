import type { Clock } from '../../lib/clock.ts';
import { KeyedQueue } from '../../lib/keyed-queue.ts';

/** A command waits no longer for an earlier one that doesn't start, in milliseconds. */
const patience = 5_000;
/** Nor for one that isn't recorded: this wait is before the acknowledgement, for which Discord gives three seconds. */
const recordPatience = 1_000;

/** One command's turn to start. */
export interface StartTurn {
  /** Records it once every earlier command of its key has been recorded, or won't be. */
  record<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when every earlier command of its key has started; then this one counts as started, too. */
  begin(): Promise<void>;
  /** It will not start. */
  leave(): void;
  /** When it was taken, in milliseconds since the epoch. */
  readonly since: number;
  /** Counts the events of this process, from 1. */
  readonly arrival: number;
  /** A command was prepared with it, which then starts or leaves by itself. */
  claimed: boolean;
}

/**
 * Commands with the same key are recorded and start in the order they came, however long each one's preparation and
 * acknowledgement take. A key with nothing about to start takes no memory.
 */
export class OrderedStart {
  readonly #clock: Clock;
  readonly #starts = new KeyedQueue();
  readonly #records = new KeyedQueue();
  #arrivals = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call in the order of arrival. */
  takeTurn(key: string): StartTurn {
    const start = slotIn(this.#starts, key, this.#clock, patience);
    const recording = slotIn(this.#records, key, this.#clock, recordPatience);
    const leave = () => {
      recording.leave();
      start.leave();
    };
    return {
      since: this.#clock.now(),
      arrival: ++this.#arrivals,
      claimed: false,
      leave,
      async record(work) {
        await recording.turn;
        return work().finally(recording.leave);
      },
      async begin() {
        await start.turn;
        leave();
      },
    };
  }
}

/** A slot in the queue of a key, which is left after a while in any case. */
function slotIn(queue: KeyedQueue, key: string, clock: Clock, longest: number) {
  const { promise: turn, resolve: take } = Promise.withResolvers<void>();
  const { promise: left, resolve } = Promise.withResolvers<void>();
  void queue.run(key, () => {
    take();
    return left;
  });
  const cancel = clock.after(longest, resolve);
  const leave = () => {
    cancel();
    resolve();
  };
  return { turn, leave };
}
