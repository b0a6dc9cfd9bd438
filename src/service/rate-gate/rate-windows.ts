import type { Clock } from '../../lib/clock.ts';
import { type RateGroup, ratesPerMinute } from '../../service-rules/limits.ts';

/**
 * How many requests of each group the key may still send (description, section 8). One instance per key; an
 * implementation with a shared store lets several processes keep the limits together.
 */
export interface RateWindows {
  /**
   * Takes one request from the group's allowance: 0 if it may be sent now, otherwise the milliseconds until asking
   * again makes sense.
   */
  take(group: RateGroup): number | Promise<number>;
  /** Blocks the group for this many milliseconds: the service returned 429. */
  pause(group: RateGroup, milliseconds: number): void | Promise<void>;
}

/** A minute, in milliseconds: the service counts arrivals, not departures, and half a second covers the difference. */
export const windowMs = 60_500;

/** In-memory windows of one process: never more than the limit in any minute, however requests bunch up. */
export class MemoryRateWindows implements RateWindows {
  readonly #clock: Clock;
  readonly #windows = new Map<RateGroup, Window>();
  readonly #limits: Readonly<Record<RateGroup, number>>;

  constructor(clock: Clock, limits: Readonly<Record<RateGroup, number>> = ratesPerMinute) {
    this.#clock = clock;
    this.#limits = limits;
  }

  take(group: RateGroup): number {
    return this.#window(group).take(this.#clock.steady());
  }

  pause(group: RateGroup, milliseconds: number): void {
    this.#window(group).pauseUntil(this.#clock.steady() + milliseconds);
  }

  #window(group: RateGroup): Window {
    const window = this.#windows.get(group) ?? new Window(this.#limits[group]);
    this.#windows.set(group, window);
    return window;
  }
}

/** The times of the last `limit` requests, in a ring. */
class Window {
  readonly #times: Float64Array;
  #oldest = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  take(now: number): number {
    const free = (this.#times[this.#oldest] ?? 0) + windowMs;
    const wait = Math.max(free, this.#pausedUntil) - now;
    if (wait > 0) return wait;
    this.#times[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#times.length;
    return 0;
  }

  pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
  }
}
