import { type Clock, systemClock } from '../../../lib/clock.ts';

/** A smaller difference, in milliseconds, is a clock that is being adjusted gradually. */
const smallestStep = 1_000;

/** Notices when the machine's clock is set to another time. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'now' | 'steady'>;
  #offset: number;

  constructor(clock: Pick<Clock, 'now' | 'steady'> = systemClock) {
    this.#clock = clock;
    this.#offset = this.#measure();
  }

  /** Whether that has happened since the last call. */
  happened(): boolean {
    const offset = this.#measure();
    const isStep = Math.abs(offset - this.#offset) >= smallestStep;
    this.#offset = offset;
    return isStep;
  }

  /** How far the machine's clock is ahead of the steady one. */
  #measure(): number {
    return this.#clock.now() - this.#clock.steady();
  }
}
