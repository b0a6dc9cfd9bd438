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

/** Dependencies of several processes that keep the key's limits together. */
export interface SharedRates {
  /** Uses of `name`, at most `count` in any `milliseconds`: 0 if one was used, else the milliseconds to wait. */
  readonly slots: (name: string, count: number, milliseconds: number) => { take(): Promise<number> };
  /** Brings words to all processes, this one too. */
  readonly signals: {
    send(topic: string, text: string): Promise<void>;
    on(topic: string, listener: (text: string) => void): () => void;
  };
}

/** A group is paused for all processes. The text: `GROUP MILLISECONDS`. */
const topic = 'service pause';

/** The key's rate windows, kept by several processes together: the service counts all that use the key. */
export class SharedRateWindows implements RateWindows {
  readonly #rates: SharedRates;
  readonly #clock: Clock;
  readonly #groups: Readonly<Record<string, { take(): Promise<number> }>>;
  readonly #pausedUntil = new Map<string, number>();

  constructor(rates: SharedRates, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
    this.#groups = Object.fromEntries(
      Object.entries(ratesPerMinute).map(([group, limit]) => [
        group,
        rates.slots(`service ${group}`, limit, windowMs),
      ]),
    );
    rates.signals.on(topic, (text) => {
      const [group = '', milliseconds] = text.split(' ');
      this.#pauseHere(group, Number(milliseconds));
    });
  }

  async take(group: RateGroup): Promise<number> {
    const paused = (this.#pausedUntil.get(group) ?? 0) - this.#clock.steady();
    return paused > 0 ? paused : ((await this.#groups[group]?.take()) ?? 0);
  }

  /** Here at once, and in the other processes as soon as they hear of it. */
  async pause(group: RateGroup, milliseconds: number): Promise<void> {
    this.#pauseHere(group, milliseconds);
    await this.#rates.signals.send(topic, `${group} ${Math.ceil(milliseconds)}`);
  }

  #pauseHere(group: string, milliseconds: number): void {
    const until = this.#clock.steady() + milliseconds;
    this.#pausedUntil.set(group, Math.max(this.#pausedUntil.get(group) ?? 0, until));
  }
}
