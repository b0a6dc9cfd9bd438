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
  readonly #timers = new Set<Timer>();

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#stepped;
  }

  steady(): number {
    return this.#now;
  }

  after(milliseconds: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, milliseconds), order: this.#order++, task };
    this.#timers.add(timer);
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
    return this.#timers.size;
  }

  /** Runs every timer due within `milliseconds` in order, letting promises settle between them. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const next = this.#next();
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
    const next = this.#next();
    if (!next || next.at - this.#now > within) return false;
    await this.advance(Math.max(0, next.at - this.#now));
    return true;
  }

  #remove(timer: Timer): void {
    if (this.#timers.delete(timer)) this.changes += 1;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}

/** Lets everything that is already resolved run, input and output of the event loop's turn included. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
