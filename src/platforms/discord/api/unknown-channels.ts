import { RESTJSONErrorCodes } from 'discord.js';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { errorCode } from './errors.ts';

/** Channels remembered at once; the oldest is forgotten first. */
const most = 1_000;
/** For how long, in milliseconds: what Discord does not know may also be a server that invites the bot again. */
const memory = 10 * 60_000;

interface Gone {
  readonly refusal: unknown;
  readonly until: number;
}

/** Channels, threads and posts that Discord does not know (any more): nothing is asked of them again for a while. */
export class UnknownChannels {
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #gone = new Map<string, Gone>();

  constructor(clock: Pick<Clock, 'steady'> = systemClock) {
    this.#clock = clock;
  }

  /**
   * Does work in a channel.
   * @throws Discord's refusal (10003) at once, where it was heard before.
   */
  async ask<T>(channelId: string, work: () => Promise<T>): Promise<T> {
    const gone = this.#gone.get(channelId);
    if (gone && gone.until > this.#clock.steady()) throw gone.refusal;
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) === RESTJSONErrorCodes.UnknownChannel) this.#note(channelId, error);
      throw error;
    }
  }

  #note(channelId: string, refusal: unknown): void {
    this.#gone.delete(channelId);
    this.#gone.set(channelId, { refusal, until: this.#clock.steady() + memory });
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > most && oldest !== undefined) this.#gone.delete(oldest);
  }
}
