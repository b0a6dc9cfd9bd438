import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';

/** In a turn of the event loop longer than this, what comes in has to wait, in milliseconds. */
const longTurn = 10;
/** However much comes in, somebody begins after so long, in milliseconds. */
const patience = 50;

/**
 * What is acknowledged is on record and can wait for a moment; what comes in cannot. So one begins in a turn of the
 * event loop, first come first served, and none while the turns are long: a burst is acknowledged first and worked off
 * after. Where nothing is going on one begins at once.
 */
export class StartGate {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #isOpen = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is one's turn to begin. */
  async enter(): Promise<void> {
    if (!this.#isOpen) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isOpen = false;
    void this.#letIn();
  }

  /** Lets in those who wait until there are none and the event loop keeps up. */
  async #letIn(): Promise<void> {
    let begun = this.#clock.steady();
    for (;;) {
      const before = this.#clock.steady();
      await nextTurn();
      const now = this.#clock.steady();
      if (now - before > longTurn && now - begun < patience) continue;
      const next = this.#waiting.shift();
      if (!next) break;
      next();
      begun = now;
    }
    this.#isOpen = true;
  }
}
