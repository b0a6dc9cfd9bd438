import type { Records } from '../../../store/index.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** Hints in a channel within an hour, whomever they're for. */
const mostAnHour = 4;

/**
 * When somebody is told how to mention the bot, since Discord withholds what they wrote: each person once a day in a
 * channel, and a few of them an hour.
 */
export class MentionHints {
  readonly #records: Pick<Records, 'add' | 'has'>;

  constructor(records: Pick<Records, 'add' | 'has'>) {
    this.#records = records;
  }

  /** Whether somebody is told of it now; counts as told then. */
  async isDue(person: string, channel: string, what: string): Promise<boolean> {
    const told = `hint ${what} ${channel} ${person}`;
    if (await this.#records.has(told)) return false;
    for (let slot = 0; slot < mostAnHour; slot++)
      if (await this.#records.add(`hint in ${channel} ${slot}`, true, hour))
        return this.#records.add(told, true, day);
    return false;
  }
}
