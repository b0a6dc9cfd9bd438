import type { Clock } from '../../lib/clock.ts';
import type { RateGroup } from '../../service-rules/limits.ts';

const windowMilliseconds = 60_000;

/**
 * One key's requests of the last minute, by group (service description, section 8). A sliding window is the
 * strictest reading of "requests per minute": a client that keeps within it keeps within any other.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #admitted = new Map<RateGroup, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request in and returns 0, or returns the milliseconds until there is room; those refused do not count. */
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
