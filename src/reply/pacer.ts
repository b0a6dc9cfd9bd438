import type { Clock } from '../lib/clock.ts';

/** At most `limit` requests in any `window`. */
export interface Rate {
  readonly limit: number;
  /** Milliseconds. */
  readonly window: number;
  /** The part of the limit that what's optional may use; 0.6 by default. */
  readonly optional?: number;
}

/** The rate limit that a platform's response reports. */
export interface Allowance {
  readonly limit?: number;
  /** Requests left until the window ends. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetAfter: number;
}

/**
 * What goes first where several wait, the most urgent first. `first`: words that somebody waits for and that aren't there
 * yet. `final`: what is said once and stays, such as a result or an answer's end. `growth`: more of an answer that people
 * read already; spread evenly. `optional`: what can be left out, such as a hint or progress; only from what is left over.
 */
export type Urgency = 'first' | 'final' | 'growth' | 'optional';

/** How a slot is waited for. */
export interface SlotOptions {
  /** `growth` by default. */
  readonly urgency?: Urgency;
  /** How much has gathered: of several that wait for `growth`, the one with the most goes first. */
  readonly gathered?: () => number;
  /** Aborted when the slot is of no more use, or is waited for with another urgency. */
  readonly signal?: AbortSignal | undefined;
}

/** The budget of one rate-limit bucket, shared by all its users. */
export interface Pacing {
  /**
   * Resolves when one request may be made: the most urgent first, growth where most has gathered unless another has waited
   * for half a window, and otherwise first come, first served, so replies that each wait for one slot take turns. Rejects with the signal's reason when that is aborted before.
   */
  slot(options?: SlotOptions): Promise<void>;
  /** Keeps a slot of each window for the end of what grows now, until the returned function is called. */
  reserve(): () => void;
  /** Adapts to the limit the platform reports. */
  learn(allowance: Allowance): void;
  /** Blocks all requests for `milliseconds`: after a 429. */
  pause(milliseconds: number): void;
}

interface Waiter {
  readonly urgency: Urgency;
  readonly gathered: () => number;
  /** On the clock that's never set. */
  readonly since: number;
  readonly grant: () => void;
}

/** The smaller, the more urgent. */
const ranks: Readonly<Record<Urgency, number>> = { first: 0, final: 1, growth: 2, optional: 3 };

/** Whether one goes before another. */
export function isMoreUrgent(one: Urgency, other: Urgency): boolean {
  return ranks[one] < ranks[other];
}

/** The part of a bucket that's kept for ends, at most: however many grow, they still do. */
const mostForEnds = 0.8;

/** Keeps one bucket's budget with a sliding window, which is never looser than the platform's fixed one. */
export class Pacer implements Pacing {
  readonly #clock: Clock;
  #limit: number;
  #window: number;
  readonly #optional: number;
  readonly #waiting: Waiter[] = [];
  /** Times of the slots used in the last window, oldest first. */
  readonly #given: number[] = [];
  #reserved = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** The platform's own count, until its window resets. */
  #remaining = Number.POSITIVE_INFINITY;
  #resetAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;

  /** @throws {RangeError} if `limit` or `window` is out of range. */
  constructor(clock: Clock, { limit, window, optional = 0.6 }: Rate) {
    if (!(limit >= 1)) throw new RangeError(`limit is ${limit}; allowed: 1 or more`);
    if (!(window > 0)) throw new RangeError(`window is ${window}; allowed: more than 0 ms`);
    this.#clock = clock;
    this.#limit = Math.floor(limit);
    this.#window = window;
    this.#optional = optional;
  }

  slot({ urgency = 'growth', gathered = () => 0, signal }: SlotOptions = {}): Promise<void> {
    return new Promise((grant, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal?.reason);
        this.#serve();
      };
      const waiter: Waiter = {
        urgency,
        gathered,
        since: this.#clock.steady(),
        grant: () => {
          signal?.removeEventListener('abort', onAbort);
          grant();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const place = this.#waiting.findIndex((other) => isMoreUrgent(urgency, other.urgency));
      if (place < 0) this.#waiting.push(waiter);
      else this.#waiting.splice(place, 0, waiter);
      this.#serve();
    });
  }

  reserve(): () => void {
    this.#reserved += 1;
    let isReserved = true;
    // Who ends asks for the slot next, before anybody else is served.
    return () => {
      if (isReserved) this.#reserved -= 1;
      isReserved = false;
    };
  }

  /** Uses a slot if one is left over for what's optional at this moment. */
  takeLeftOver(): boolean {
    if (!this.hasLeftOver) return false;
    this.#count();
    return true;
  }

  get hasLeftOver(): boolean {
    return this.#waiting.length === 0 && this.#nextAt('optional') <= this.#clock.steady();
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
    return Math.max(0, this.#nextAt('first') - this.#clock.steady());
  }

  /** When this state becomes irrelevant; Infinity while a request waits or a slot is reserved. */
  get forgettableAt(): number {
    if (this.#waiting.length > 0 || this.#reserved > 0) return Number.POSITIVE_INFINITY;
    const last = this.#given.at(-1) ?? Number.NEGATIVE_INFINITY;
    return Math.max(last + this.#window, this.#pausedUntil, this.#resetAt);
  }

  #serve(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const wait = this.#nextAt(next.urgency) - this.#clock.steady();
      if (wait > 0) {
        this.#cancelTimer = this.#clock.after(wait, () => this.#serve());
        return;
      }
      const served = next.urgency === 'growth' ? this.#nextGrowth() : next;
      this.#waiting.splice(this.#waiting.indexOf(served), 1);
      this.#count();
      served.grant();
    }
  }

  /** Who's next of those that wait for growth: they are the first in the line. */
  #nextGrowth(): Waiter {
    const end = this.#waiting.findIndex(({ urgency }) => urgency !== 'growth');
    const growing = this.#waiting.slice(0, end < 0 ? undefined : end);
    const [first] = growing;
    if (first && this.#clock.steady() - first.since >= this.#window / 2) return first;
    return growing.reduce((most, other) => (other.gathered() > most.gathered() ? other : most));
  }

  #nextAt(urgency: Urgency): number {
    const none = Number.NEGATIVE_INFINITY;
    const kept = this.#keptFrom(urgency);
    const oldest = this.#given.at(kept - this.#limit);
    const last = this.#given.at(-1);
    const windowMoves = oldest === undefined ? none : oldest + this.#window;
    const spacing = this.#window / (this.#limit - kept);
    const spaced = urgency !== 'growth' || last === undefined ? none : last + spacing;
    const allowed = this.#remaining > kept ? none : this.#resetAt;
    return Math.max(windowMoves, spaced, allowed, this.#pausedUntil);
  }

  /** How many slots of each window are for others. */
  #keptFrom(urgency: Urgency): number {
    if (urgency === 'first' || urgency === 'final') return 0;
    const ends = Math.min(this.#reserved, Math.floor(this.#limit * mostForEnds));
    if (urgency === 'growth') return ends;
    return Math.min(this.#limit - 1, Math.max(ends, Math.ceil(this.#limit * (1 - this.#optional))));
  }

  #count(): void {
    const now = this.#clock.steady();
    this.#remaining -= 1;
    this.#given.push(now);
    while (this.#given.length > this.#limit) this.#given.shift();
  }
}

/**
 * Pacers of all buckets of a kind, by key. A bucket that is idle for its whole window is forgotten, so that memory
 * doesn't grow with channels; it is recreated when needed.
 */
export class Pacers {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #pacers = new Map<string, Pacer>();
  #sweeping = false;

  /** `rate` applies to a bucket until the platform reports another. */
  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** The pacer of the bucket `key`; may be kept indefinitely. */
  for(key: string): Pacing {
    return {
      slot: (options) => this.#pacer(key).slot(options),
      reserve: () => this.#pacer(key).reserve(),
      learn: (allowance) => this.#pacer(key).learn(allowance),
      pause: (milliseconds) => this.#pacer(key).pause(milliseconds),
    };
  }

  /** Uses a slot of the bucket `key` if one is left over for what's optional at this moment. */
  takeLeftOver(key: string): boolean {
    return this.#pacer(key).takeLeftOver();
  }

  /** Milliseconds until an urgent request in the bucket `key` may be made. */
  delayOf(key: string): number {
    return this.#pacers.get(key)?.delay ?? 0;
  }

  /** Number of buckets remembered. */
  get size(): number {
    return this.#pacers.size;
  }

  #pacer(key: string): Pacer {
    const known = this.#pacers.get(key);
    if (known) return known;
    const pacer = new Pacer(this.#clock, this.#rate);
    this.#pacers.set(key, pacer);
    this.#sweepLater();
    return pacer;
  }

  #sweepLater(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    this.#clock.after(this.#rate.window, () => {
      this.#sweeping = false;
      const now = this.#clock.steady();
      for (const [key, pacer] of this.#pacers) if (pacer.forgettableAt <= now) this.#pacers.delete(key);
      if (this.#pacers.size > 0) this.#sweepLater();
    });
  }
}
