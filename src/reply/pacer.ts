import type { Clock } from '../lib/clock.ts';

/** At most `limit` requests in any `window`. */
export interface Rate {
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
}

/** What a platform's answer says of its budget. */
export interface Allowance {
  readonly limit?: number;
  /** Requests left until the window ends. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetAfter: number;
}

/** The budget of one rate bucket, shared by all who write in it. */
export interface Pacing {
  /**
   * Resolves when one request may be made: first come, first served, so that replies that ask for one slot at
   * a time take turns. Ordinary requests are spread evenly; an `urgent` one goes first and needs no distance.
   */
  slot(options?: { urgent?: boolean }): Promise<void>;
  /** Adapts to what the platform says. */
  learn(allowance: Allowance): void;
  /** Lets nothing through for `milliseconds`: after a 429. */
  pause(milliseconds: number): void;
}

interface Waiter {
  readonly urgent: boolean;
  readonly grant: () => void;
}

/** Keeps one bucket's budget by a sliding window, which is never wider than the platform's fixed one. */
export class Pacer implements Pacing {
  readonly #clock: Clock;
  #limit: number;
  #window: number;
  readonly #waiting: Waiter[] = [];
  /** When the slots of the last window were given, oldest first. */
  readonly #given: number[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** The platform's own count, until it begins anew. */
  #remaining = Number.POSITIVE_INFINITY;
  #resetAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  /** @throws RangeError where `limit` or `window` allows nothing. */
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
    // Only the answer to a window's first request tells how long the window is.
    if (remaining === this.#limit - 1 && resetAfter > 0) this.#window = resetAfter;
    // Answers may overtake each other: within one window what is left only becomes less.
    this.#remaining = now < this.#resetAt ? Math.min(this.#remaining, remaining) : remaining;
    this.#resetAt = now + resetAfter;
    this.#serve();
  }

  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.steady() + milliseconds);
    this.#serve();
  }

  /** In how many milliseconds an urgent request is let through, at the soonest. */
  get delay(): number {
    return Math.max(0, this.#nextAt(true) - this.#clock.steady());
  }

  /** When nothing of this will matter any more; Infinity while someone waits. */
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
