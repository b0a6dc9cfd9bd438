import { RESTJSONErrorCodes } from 'discord.js';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { errorCode } from './errors.ts';

/** Channels remembered at once. */
const most = 1_000;
/** Milliseconds for which one is remembered: a server may invite the bot again, which makes its channels known. */
const lifetime = 10 * 60_000;

/** Channels, threads and posts that Discord doesn't know (any more): it isn't asked about them for a while. */
export class UnknownChannels {
  readonly #refusals: BoundedMap<string, { readonly refusal: unknown }>;

  constructor(clock: Pick<Clock, 'steady'> = systemClock) {
    this.#refusals = new BoundedMap({ most, lifetime: { milliseconds: lifetime, clock } });
  }

  /**
   * Does work in a channel.
   * @throws Discord's refusal (10003) at once, if it has refused before.
   */
  async unlessUnknown<T>(channelId: string, work: () => Promise<T>): Promise<T> {
    const known = this.#refusals.get(channelId);
    if (known) throw known.refusal;
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) === RESTJSONErrorCodes.UnknownChannel)
        this.#refusals.set(channelId, { refusal: error });
      throw error;
    }
  }
}
