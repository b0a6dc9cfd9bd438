import type { Clock } from '../lib/clock.ts';

/** One line in so long, in milliseconds. */
const spacing = 60_000;

/** Bounds what strangers can have written to the log: a line a minute, which tells how often it was meant. */
export class Seldom {
  readonly #clock: Clock;
  #saidAt: number | undefined;
  #times = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Has `say` write its line, with how often it was meant since the one before; or only counts it. */
  note(say: (times: number) => void): void {
    const now = this.#clock.steady();
    this.#times += 1;
    if (this.#saidAt !== undefined && now - this.#saidAt < spacing) return;
    const times = this.#times;
    this.#saidAt = now;
    this.#times = 0;
    say(times);
  }
}
