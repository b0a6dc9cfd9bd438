import type { APIGatewaySessionStartLimit } from 'discord.js';
import { type Clock, sleep } from '../../../lib/clock.ts';

/** One identify of a rate limit key in five seconds (events/gateway), and a little more for the way there. */
const spacing = 5_250;
const day = 86_400_000;

/**
 * Lets the shards of this process identify one after the other: each rate limit key (the shard's id modulo
 * `max_concurrency`) once in five seconds, and all of them no more often than the day allows. Discord resets the
 * token of a bot that identifies more often than that.
 */
export class IdentifyThrottle {
  readonly #clock: Clock;
  /** The last in line of each key. */
  readonly #lines = new Map<number, Promise<void>>();
  /** When each key is free again. */
  readonly #freeAt = new Map<number, number>();
  #concurrency = 1;
  #total = 1;
  #remaining = 1;
  #resetsAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes what Discord says of the limits (`GET /gateway/bot`). */
  learn({ total, remaining, reset_after, max_concurrency }: APIGatewaySessionStartLimit): void {
    this.#total = total;
    this.#remaining = remaining;
    this.#resetsAt = this.#clock.steady() + reset_after;
    this.#concurrency = max_concurrency;
  }

  /** Milliseconds until the next identify is possible, where this day has none left. */
  get exhaustedFor(): number | undefined {
    const wait = this.#resetsAt - this.#clock.steady();
    return this.#remaining > 0 || wait <= 0 ? undefined : wait;
  }

  /** Resolves when it is a shard's turn; rejects where `signal` is aborted, and takes no turn then. */
  waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    const key = shardId % this.#concurrency;
    const turn = (this.#lines.get(key) ?? Promise.resolve()).then(() => this.#takeTurn(key, signal));
    this.#lines.set(
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
