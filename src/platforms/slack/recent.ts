import type { Clock } from '../../clock.ts';

/** What was seen a short while ago: repetitions of the same thing are told from the first. */
export class Recent {
  readonly #clock: Clock;
  readonly #lifetime: number;
  readonly #most: number;
  readonly #seen = new Map<string, number>();

  /** Remembers at most `most` things for `lifetime` milliseconds. */
  constructor(clock: Clock, lifetime: number, most = 10_000) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#most = most;
  }

  /** True the first time, false for repetitions. */
  isNew(id: string): boolean {
    const now = this.#clock.now();
    for (const [old, at] of this.#seen) {
      if (now - at < this.#lifetime && this.#seen.size <= this.#most) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(id)) return false;
    this.#seen.set(id, now);
    return true;
  }
}
