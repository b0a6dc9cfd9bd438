import { MemoryTally, type Tally } from '../../../coordination/index.ts';
import type { Clock } from '../../../lib/clock.ts';

/** So long an invalid request counts, in milliseconds; after 10,000 Discord bans the address (topics/rate-limits). */
const window = 10 * 60_000;
/** From so many on, nothing is sent that can be left out: the rest is for what people wait for, and whoever shares the address. */
const tooMany = 5_000;
/** Between two looks at what other processes have counted, in milliseconds. */
const spacing = 5_000;

/** All processes together, as {@link Tally}. */
export const sharedInvalidRequests = { name: 'discord invalid requests', milliseconds: window };

/** How many requests of the last ten minutes Discord counted as invalid: 401, 403, and 429 but of shared limits. */
export class InvalidRequests {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #tally: Tally;
  /** As the tally said last. */
  #known = 0;
  /** Those it hasn't been told. */
  #untold = 0;
  #nextLook = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'steady'>, tally: Tally = new MemoryTally(clock, window)) {
    this.#clock = clock;
    this.#tally = tally;
  }

  /** Counts a response if it's invalid; returns whether it is. */
  note(status: number, scope: string | null): boolean {
    const isInvalid = status === 401 || status === 403 || (status === 429 && scope !== 'shared');
    if (isInvalid) {
      this.#untold++;
      this.#lookIfDue();
    }
    return isInvalid;
  }

  /** Whether nothing more may be sent that can be left out. What other processes met counts some seconds later. */
  get areTooMany(): boolean {
    this.#lookIfDue();
    return this.#known + this.#untold >= tooMany;
  }

  #lookIfDue(): void {
    if (this.#clock.steady() >= this.#nextLook) void this.#look();
  }

  async #look(): Promise<void> {
    this.#nextLook = this.#clock.steady() + spacing;
    const told = this.#untold;
    try {
      this.#known = await this.#tally.add(told);
      this.#untold -= told;
    } catch {
      // The database is away: they're told later.
    }
  }
}
