import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';

/** What came a short while ago, by its id: tells repetitions from the first. */
export class RecentEvents {
  readonly #seen: BoundedMap<string, Promise<void>>;

  /** Remembers at most `most` ids for `lifetime` milliseconds. */
  constructor(clock: Clock, lifetime: number, most = 10_000) {
    this.#seen = new BoundedMap({ most, lifetime: { milliseconds: lifetime, clock } });
  }

  /** True the first time, false for repetitions. */
  isNew(id: string): boolean {
    if (this.#seen.has(id)) return false;
    this.#seen.set(id, Promise.resolve());
    return true;
  }

  /** It’s new again. */
  forget(id: string): void {
    this.#seen.delete(id);
  }

  /** The work that was or is being done once; undefined if there was none, or if it failed. */
  done(id: string): Promise<void> | undefined {
    return this.#seen.get(id);
  }

  /** Does the work the first time; a repetition waits for it, and does it again if it failed. */
  once(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.#seen.get(id);
    if (before) return before;
    const done = work();
    this.#seen.set(id, done);
    done.catch(() => this.#seen.delete(id));
    return done;
  }
}
