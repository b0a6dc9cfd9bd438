import type { Coordination } from '../../coordination/index.ts';
import type { Clock } from '../../lib/clock.ts';

/** How often turns that wait look at their queue if no signal comes, in milliseconds. */
const lookEvery = 1_000;
/** Told when a turn has ended; the text is its conversation or its place. */
const topic = 'turn-ended';

interface Change {
  readonly promise: Promise<void>;
  readonly forget: () => void;
  listeners: number;
}

/** Tells turns that wait when to look at their queue: all of this process's in one queue at the same moment. */
export class Changes {
  readonly #signals: Coordination['signals'];
  readonly #clock: Clock;
  /** The next one of each queue that turns wait in. */
  readonly #next = new Map<string, Change>();
  readonly #wakes = new Map<string, Set<() => void>>();

  constructor(signals: Coordination['signals'], clock: Clock) {
    this.#signals = signals;
    this.#clock = clock;
    signals.on(topic, (text) => {
      for (const wake of this.#wakes.get(text) ?? []) wake();
    });
  }

  /** A turn of a conversation, given in a place, has ended. */
  async tell(conversation: string | null, place: string): Promise<void> {
    for (const text of new Set([conversation ?? place, place])) await this.#signals.send(topic, text);
  }

  /** `changed` resolves when a turn of these has ended, or after a while. Listen before looking at the queue. */
  listen(
    conversation: string,
    place: string,
  ): { readonly changed: Promise<void>; readonly stop: () => void } {
    const key = JSON.stringify([conversation, place]);
    const change = this.#next.get(key) ?? this.#add(key, new Set([conversation, place]));
    change.listeners++;
    const stop = () => {
      if (--change.listeners === 0) change.forget();
    };
    return { changed: change.promise, stop };
  }

  #add(key: string, texts: ReadonlySet<string>): Change {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      change.forget();
      resolve();
    };
    const cancel = this.#clock.after(lookEvery, wake);
    const forget = () => {
      cancel();
      if (this.#next.get(key) === change) this.#next.delete(key);
      for (const text of texts) this.#unhear(text, wake);
    };
    const change: Change = { promise, forget, listeners: 0 };
    this.#next.set(key, change);
    for (const text of texts) this.#wakes.set(text, (this.#wakes.get(text) ?? new Set()).add(wake));
    return change;
  }

  #unhear(text: string, wake: () => void): void {
    const wakes = this.#wakes.get(text);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#wakes.delete(text);
  }
}
