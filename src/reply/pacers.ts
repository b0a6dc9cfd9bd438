import type { Clock } from '../lib/clock.ts';
import { Pacer, type Pacing, type Rate } from './pacer.ts';

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
