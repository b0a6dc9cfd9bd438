import type { Clock } from '../../lib/clock.ts';
import { type RateGroup, ratesPerMinute } from '../../service-rules/limits.ts';
import { type RateWindows, windowMs } from './rate-windows.ts';

/** What several processes need, to keep the key's limits together. */
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
