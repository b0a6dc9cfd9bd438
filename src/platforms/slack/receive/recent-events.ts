import type { Clock } from '../../../lib/clock.ts';

interface Seen {
  readonly at: number;
  readonly done: Promise<void>;
}

/** What was seen a short while ago: repetitions of the same thing are told from the first. */
export class RecentEvents {
  readonly #clock: Clock;
  readonly #lifetime: number;
  readonly #most: number;
  readonly #seen = new Map<string, Seen>();

  /** Remembers at most `most` things for `lifetime` milliseconds. */
  constructor(clock: Clock, lifetime: number, most = 10_000) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#most = most;
  }

  /** True the first time, false for repetitions. */
  isNew(id: string): boolean {
    this.#forgetOld();
    if (this.#seen.has(id)) return false;
    this.#seen.set(id, { at: this.#clock.steady(), done: Promise.resolve() });
    return true;
  }

  /** Does the work the first time; a repetition waits for that, and does it where it failed. */
  once(id: string, work: () => Promise<void>): Promise<void> {
    this.#forgetOld();
    const before = this.#seen.get(id);
    if (before) return before.done;
    const done = work();
    this.#seen.set(id, { at: this.#clock.steady(), done });
    done.catch(() => this.#seen.delete(id));
    return done;
  }

  #forgetOld(): void {
    const now = this.#clock.steady();
    for (const [old, { at }] of this.#seen) {
      if (now - at < this.#lifetime && this.#seen.size <= this.#most) break;
      this.#seen.delete(old);
    }
  }
}
