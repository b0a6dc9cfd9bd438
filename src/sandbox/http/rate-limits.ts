import type { Clock } from '../../lib/clock.ts';
import type { RateGroup } from '../../service-rules/limits.ts';

const windowMilliseconds = 60_000;

/**
 * The rate limits of one key, by group (service description, section 8). A sliding window is the strictest
 * reading of "requests per minute".
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #admitted = new Map<RateGroup, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request and returns 0, or returns the milliseconds to wait; refused requests don't count. */
  admit(group: RateGroup, perMinute: number): number {
    const now = this.#clock.now();
    const recent = (this.#admitted.get(group) ?? []).filter((time) => time > now - windowMilliseconds);
    this.#admitted.set(group, recent);
    const oldest = recent[recent.length - perMinute];
    if (oldest !== undefined) return oldest + windowMilliseconds - now;
    recent.push(now);
    return 0;
  }
}
