import type { Clock } from '../lib/clock.ts';

/** At most `limit` requests in any `window`. */
export interface Rate {
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
}

/** The rate limit that a platform's response reports. */
export interface Allowance {
  readonly limit?: number;
  /** Requests left until the window ends. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetAfter: number;
}

/** The budget of one rate-limit bucket, shared by all its users. */
export interface Pacing {
  /**
   * Resolves when one request may be made: first come, first served, so replies that each wait for one slot take
   * turns. Ordinary requests are spread evenly; an `urgent` one goes first and without spacing.
   */
  slot(options?: { urgent?: boolean }): Promise<void>;
  /** Adapts to the limit the platform reports. */
  learn(allowance: Allowance): void;
  /** Blocks all requests for `milliseconds`: after a 429. */
  pause(milliseconds: number): void;
}

interface Waiter {
  readonly urgent: boolean;
  readonly grant: () => void;
}

/** Keeps one bucket's budget with a sliding window, which is never looser than the platform's fixed one. */
export class Pacer implements Pacing {
  readonly #clock: Clock;
  #limit: number;
  #window: number;
  readonly #waiting: Waiter[] = [];
  /** Times of the slots used in the last window, oldest first. */
  readonly #given: number[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** The platform's own count, until its window resets. */
  #remaining = Number.POSITIVE_INFINITY;
  #resetAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  /** @throws {RangeError} if `limit` or `window` is out of range. */
  constructor(clock: Clock, { limit, window }: Rate) {
    if (!(limit >= 1)) throw new RangeError(`limit is ${limit}; allowed: 1 or more`);
    if (!(window > 0)) throw new RangeError(`window is ${window}; allowed: more than 0 ms`);
    this.#clock = clock;
    this.#limit = Math.floor(limit);
    this.#window = window;
  }

  slot({ urgent = false } = {}): Promise<void> {
    return new Promise((grant) => {
      const waiter = { urgent, grant };
      const place = urgent ? this.#waiting.findIndex((other) => !other.urgent) : -1;
      if (place < 0) this.#waiting.push(waiter);
      else this.#waiting.splice(place, 0, waiter);
      this.#serve();
    });
  }

  learn({ limit, remaining, resetAfter }: Allowance): void {
    if (!(remaining >= 0 && resetAfter >= 0)) return;
    const now = this.#clock.steady();
    if (limit !== undefined && limit >= 1) this.#limit = Math.floor(limit);
    // Only the response to a window's first request shows the window's length.
    if (remaining === this.#limit - 1 && resetAfter > 0) this.#window = resetAfter;
    // Responses may arrive out of order: within a window the remaining count only decreases.
    this.#remaining = now < this.#resetAt ? Math.min(this.#remaining, remaining) : remaining;
    this.#resetAt = now + resetAfter;
    this.#serve();
  }

  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.steady() + milliseconds);
    this.#serve();
  }

  /** Milliseconds until an urgent request may be made. */
  get delay(): number {
    return Math.max(0, this.#nextAt(true) - this.#clock.steady());
  }

  /** When this state becomes irrelevant; Infinity while a request waits. */
  get forgettableAt(): number {
    if (this.#waiting.length > 0) return Number.POSITIVE_INFINITY;
    const last = this.#given.at(-1) ?? Number.NEGATIVE_INFINITY;
    return Math.max(last + this.#window, this.#pausedUntil, this.#resetAt);
  }

  #serve(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const wait = this.#nextAt(next.urgent) - this.#clock.steady();
      if (wait > 0) {
        this.#cancelTimer = this.#clock.after(wait, () => this.#serve());
        return;
      }
      this.#waiting.shift();
      this.#count();
      next.grant();
    }
  }

  #nextAt(urgent: boolean): number {
    const none = Number.NEGATIVE_INFINITY;
    const oldest = this.#given.at(-this.#limit);
    const last = this.#given.at(-1);
    const windowMoves = oldest === undefined ? none : oldest + this.#window;
    const spaced = urgent || last === undefined ? none : last + this.#window / this.#limit;
    const allowed = this.#remaining > 0 ? none : this.#resetAt;
    return Math.max(windowMoves, spaced, allowed, this.#pausedUntil);
  }

  #count(): void {
    const now = this.#clock.steady();
    this.#remaining -= 1;
    this.#given.push(now);
    while (this.#given.length > this.#limit) this.#given.shift();
  }
}
