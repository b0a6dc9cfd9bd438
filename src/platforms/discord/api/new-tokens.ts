import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Clock } from '../../../lib/clock.ts';
import { errorCode } from './errors.ts';

/** Tokens that are new at once, at most. */
const most = 500;
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
    this.#tokens = new BoundedMap({ most, lifetime: { milliseconds: 60_000, clock } });
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
