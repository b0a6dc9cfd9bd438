import type { Clock } from '../lib/clock.ts';
import { Pacer, type Pacing, type Rate } from './pacer.ts';

/**
 * The pacers of all buckets of a kind, by key. A bucket whose window has passed and for which nobody waits is
 * forgotten, so that memory does not grow with channels; whoever holds its pacing just makes it anew.
 */
export class Pacers {
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #pacers = new Map<string, Pacer>();
  #sweeping = false;

  /** `rate` is assumed for a bucket until the platform says otherwise. */
  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** The pacing of the bucket `key`; may be kept for as long as one likes. */
  for(key: string): Pacing {
    return {
      slot: (options) => this.#pacer(key).slot(options),
      learn: (allowance) => this.#pacer(key).learn(allowance),
      pause: (milliseconds) => this.#pacer(key).pause(milliseconds),
    };
  }

  /** In how many milliseconds an urgent request in the bucket `key` is let through, at the soonest. */
  delayOf(key: string): number {
    return this.#pacers.get(key)?.delay ?? 0;
  }

  /** How many buckets are remembered. */
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
