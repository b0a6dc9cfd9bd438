import { type Clock, systemClock } from '../../../lib/clock.ts';

/** What differs by less is the machine's clock being corrected little by little, in milliseconds. */
const smallest = 1_000;

/** Notices that somebody has set the machine's clock, for what keeps its times by it. */
export class ClockSteps {
  readonly #clock: Pick<Clock, 'now' | 'steady'>;
  #ahead: number;

  constructor(clock: Pick<Clock, 'now' | 'steady'> = systemClock) {
    this.#clock = clock;
    this.#ahead = this.#look();
  }

  /** Whether that has happened since this was asked last. */
  happened(): boolean {
    const ahead = this.#look();
    const isStep = Math.abs(ahead - this.#ahead) >= smallest;
    this.#ahead = ahead;
    return isStep;
  }

  /** How far the machine's clock is ahead of the steady one. */
  #look(): number {
    return this.#clock.now() - this.#clock.steady();
  }
}
