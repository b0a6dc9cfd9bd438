import type { Clock } from '../../src/lib/clock.ts';

interface Timer {
  at: number;
  order: number;
  task: () => void;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #now: number;
  /** How far somebody has set the clock ahead. */
  #stepped = 0;
  #order = 0;
  /** How often a timer was set, run or canceled. */
  changes = 0;
  /** In the order in which they run. */
  readonly #timers: Timer[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  /** Whole milliseconds, as of the real one. */
  now(): number {
    return Math.floor(this.#now + this.#stepped);
  }

  steady(): number {
    return this.#now;
  }

  after(milliseconds: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds), order: this.#order++, task };
    this.#timers.splice(this.#indexOf(timer), 0, timer);
    this.changes += 1;
    return () => this.#remove(timer);
  }

  /** Waits are as long as they can be. */
  jitter(): number {
    return 1;
  }

  /** Somebody sets the machine's clock; timers go on as before. */
  step(milliseconds: number): void {
    this.#stepped += milliseconds;
  }

  /** How many timers are waiting. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Runs every timer due within `milliseconds` in order, letting promises settle between them. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const [next] = this.#timers;
      if (!next || next.at > end) break;
      this.#remove(next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Moves to the next timer and runs it; false where none waits that is due within so many milliseconds. */
  async runNext(within = Number.POSITIVE_INFINITY): Promise<boolean> {
    await settle();
    const [next] = this.#timers;
    if (!next || next.at - this.#now > within) return false;
    await this.advance(Math.max(0, next.at - this.#now));
    return true;
  }

  #remove(timer: Timer): void {
    const index = this.#indexOf(timer);
    if (this.#timers[index] !== timer) return;
    this.#timers.splice(index, 1);
    this.changes += 1;
  }

  /** Where a timer is, or would be. */
  #indexOf({ at, order }: Timer): number {
    let from = 0;
    let to = this.#timers.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#timers[middle];
      if (other && (other.at < at || (other.at === at && other.order < order))) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Lets everything that is already resolved run, input and output of the event loop's turn included. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
