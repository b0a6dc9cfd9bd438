import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { errorCode } from './errors.ts';

/** Channels remembered at once. */
const mostChannels = 1_000;
/** Milliseconds for which one is remembered: a server may invite the bot again, which makes its channels known. */
const lifetime = 10 * 60_000;

/** The bot lacks a permission, which somebody may give it the moment it's told: only what can be left out isn't tried again. */
const ofPermissions: readonly (number | undefined)[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
];

/**
 * Channels, threads and posts that Discord doesn't know (any more), or in which the bot lacks a permission: it isn't asked
 * about them in vain for a while, because what it refuses is counted.
 */
export class ChannelRefusals {
  readonly #refusals: BoundedMap<string, { readonly refusal: unknown }>;

  constructor(clock: Pick<Clock, 'steady'> = systemClock) {
    this.#refusals = new BoundedMap({
      most: mostChannels,
      lifetime: { milliseconds: lifetime, clock },
    });
  }

  /**
   * Does work in a channel.
   * @throws Discord's refusal at once, if it has refused before: 10003; or 50001 and 50013 for what can be left out, until
   *   something else has worked there.
   */
  async unlessRefused<T>(channelId: string, isOptional: boolean, work: () => Promise<T>): Promise<T> {
    const known = this.#refusals.get(channelId);
    if (known && (isOptional || !ofPermissions.includes(errorCode(known.refusal)))) throw known.refusal;
    try {
      const done = await work();
      if (known && !isOptional) this.#refusals.delete(channelId);
      return done;
    } catch (error) {
      const code = errorCode(error);
      if (code === RESTJSONErrorCodes.UnknownChannel || ofPermissions.includes(code))
        this.#refusals.set(channelId, { refusal: error });
      throw error;
    }
  }
}

/** Tokens that are new at once, at most. */
const mostTokens = 500;
/** Milliseconds between tries; a token was known after ten seconds at most, as reported. */
const waits: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 4_000];

/**
 * Tokens of interactions that were acknowledged in the response to their request: Discord may not know them yet when they
 * are used right after that (10015, discord-api-docs#7220), so that's tried again for a while.
 */
export class NewTokens {
  readonly #clock: Clock;
  readonly #tokens: BoundedMap<string, true>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#tokens = new BoundedMap({ most: mostTokens, lifetime: { milliseconds: 60_000, clock } });
  }

  add(token: string): void {
    this.#tokens.set(token, true);
  }

  /** Does a request by a token, again if that isn't known yet. */
  async send<T>(token: string, request: () => Promise<T>): Promise<T> {
    for (const wait of waits) {
      try {
        return await request();
      } catch (error) {
        if (!this.#tokens.has(token) || errorCode(error) !== RESTJSONErrorCodes.UnknownWebhook) throw error;
      }
      await new Promise<void>((resolve) => this.#clock.after(wait, resolve));
    }
    return request();
  }
}
