import type { APIGatewaySessionStartLimit } from 'discord-api-types/v10';
import { type Coordination, waitForSlot } from '../../../coordination/index.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';

/** Milliseconds between identifies of one rate limit key: five seconds (events/gateway), and a margin for the network. */
const spacing = 5_250;
/** Milliseconds within which Discord says how many are left; otherwise what's known from before counts. */
const longestAnswer = 1_500;
const day = 86_400_000;

/** How this process's identifies are counted with those of others. */
export interface SharedIdentifies {
  readonly slots: NonNullable<Coordination['slots']>;
  /** Asks Discord how many are left. */
  readonly limit: () => Promise<APIGatewaySessionStartLimit>;
}

/**
 * Lets the bot's shards identify one after the other: each rate limit key (the shard's id modulo `max_concurrency`) once
 * in five seconds, and all together within the daily limit. Discord resets the token of a bot that exceeds it. Several
 * processes on one database take turns, and learn from Discord how many log-ins the others have left of the day's.
 */
export class IdentifyThrottle {
  readonly #clock: Clock;
  readonly #shared: SharedIdentifies | undefined;
  /** The last shard that waits, for each key. */
  readonly #waiting = new Map<number, Promise<void>>();
  /** When each key may identify again. */
  readonly #freeAt = new Map<number, number>();
  #concurrency = 1;
  #total = 1;
  #remaining = 1;
  #resetsAt = 0;

  constructor(clock: Clock, shared?: SharedIdentifies) {
    this.#clock = clock;
    this.#shared = shared;
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
    return this.#remaining > this.#othersUnderWay || wait <= 0 ? undefined : wait;
  }

  /** Log-ins of other keys that Discord may not have counted when it said how many are left. */
  get #othersUnderWay(): number {
    return this.#shared ? this.#concurrency - 1 : 0;
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
    for (;;) {
      await this.#waitUntil(this.#freeAt.get(key) ?? 0, signal);
      if (this.#shared) await this.#takeSharedTurn(key, this.#shared, signal);
      if (this.exhaustedFor === undefined) break;
      // Others wait for the same: the turn is taken again then.
      await this.#waitUntil(this.#resetsAt, signal);
    }
    if (this.#remaining <= this.#othersUnderWay) this.#beginDay();
    this.#remaining -= 1;
    this.#freeAt.set(key, this.#clock.steady() + spacing);
  }

  async #takeSharedTurn(key: number, { slots, limit }: SharedIdentifies, signal: AbortSignal): Promise<void> {
    // The identify follows only after Discord's answer, and must not come too close to the next one's then.
    await waitForSlot(slots(`discord identify ${key}`, 1, spacing + longestAnswer), this.#clock, signal);
    const asked = limit().catch(() => undefined);
    const known = await inTime(this.#clock, longestAnswer, asked, undefined);
    if (known) this.learn(known);
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
