import type { Clock } from '../clock.ts';

/** One line in so long, in milliseconds. */
const spacing = 60_000;

/** Bounds what strangers can have written to the log: a line a minute, which tells how many were left out before it. */
export class Seldom {
  readonly #clock: Clock;
  #saidAt: number | undefined;
  #unsaid = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Has `say` write its line, with how many were left out since the one before; or leaves it out. */
  note(say: (unsaid: number) => void): void {
    const now = this.#clock.now();
    if (this.#saidAt !== undefined && Math.abs(now - this.#saidAt) < spacing) {
      this.#unsaid += 1;
      return;
    }
    const unsaid = this.#unsaid;
    this.#saidAt = now;
    this.#unsaid = 0;
    say(unsaid);
  }
}
