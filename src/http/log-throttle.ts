import type { Clock } from '../lib/clock.ts';

/** At least this long between two lines, in milliseconds. */
const spacing = 60_000;

/** Limits a log line that strangers can cause to one a minute, with a count. */
export class LogThrottle {
  readonly #clock: Clock;
  #saidAt: number | undefined;
  #times = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `write` with the number of events since the last line, or only counts this one. */
  note(write: (times: number) => void): void {
    const now = this.#clock.steady();
    this.#times += 1;
    if (this.#saidAt !== undefined && now - this.#saidAt < spacing) return;
    const times = this.#times;
    this.#saidAt = now;
    this.#times = 0;
    write(times);
  }
}
