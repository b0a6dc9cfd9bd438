import type { APIGatewaySessionStartLimit } from 'discord.js';
import { type Clock, sleep } from '../../../lib/clock.ts';

/** Milliseconds between identifies of one rate limit key: five seconds (events/gateway), and a margin for the network. */
const spacing = 5_250;
const day = 86_400_000;

/**
 * Lets the shards of this process identify one after the other: each rate limit key (the shard's id modulo
 * `max_concurrency`) once in five seconds, and all together within the daily limit. Discord resets the token of a bot
 * that exceeds it.
 */
export class IdentifyThrottle {
  readonly #clock: Clock;
  /** The last shard that waits, for each key. */
  readonly #waiting = new Map<number, Promise<void>>();
  /** When each key may identify again. */
  readonly #freeAt = new Map<number, number>();
  #concurrency = 1;
  #total = 1;
  #remaining = 1;
  #resetsAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads the limits from `GET /gateway/bot`. */
  learn({ total, remaining, reset_after, max_concurrency }: APIGatewaySessionStartLimit): void {
    this.#total = total;
    this.#remaining = remaining;
    this.#resetsAt = this.#clock.steady() + reset_after;
    this.#concurrency = max_concurrency;
  }

  /** Milliseconds until the next identify, if the daily limit is used up. */
  get exhaustedFor(): number | undefined {
    const wait = this.#resetsAt - this.#clock.steady();
    return this.#remaining > 0 || wait <= 0 ? undefined : wait;
  }

  /** Resolves when a shard may identify; rejects if `signal` is aborted before that, and counts nothing then. */
  waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    const key = shardId % this.#concurrency;
    const turn = (this.#waiting.get(key) ?? Promise.resolve()).then(() => this.#takeTurn(key, signal));
    this.#waiting.set(
      key,
      turn.catch(() => {}),
    );
    return turn;
  }

  async #takeTurn(key: number, signal: AbortSignal): Promise<void> {
    await this.#waitUntil(this.#freeAt.get(key) ?? 0, signal);
    while (this.exhaustedFor !== undefined) await this.#waitUntil(this.#resetsAt, signal);
    if (this.#remaining <= 0) this.#beginDay();
    this.#remaining -= 1;
    this.#freeAt.set(key, this.#clock.steady() + spacing);
  }

  async #waitUntil(time: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const wait = time - this.#clock.steady();
    if (wait > 0) await sleep(this.#clock, wait, signal);
  }

  #beginDay(): void {
    this.#remaining = this.#total;
    this.#resetsAt = this.#clock.steady() + day;
  }
}
