import type { APIGatewaySessionStartLimit } from 'discord-api-types/v10';
import type { Coordination } from '../../../coordination/index.ts';
import { type Clock, inTime, sleep, untilDone, type Waits } from '../../../lib/clock.ts';

/** The shards that this process may run: as many as Discord recommends, or some of a fixed total; none of none. */
export type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/** Shards in all where processes may share them. More would log in one after the other, five seconds apart. */
const leastShared = 2;

/** This process's part of the bot's requests: other processes run the other slices. */
export function requestShare(shards: Shards): number {
  return shards === 'auto' || shards.count === 0 ? 1 : shards.ids.length / shards.count;
}

/** Whether this process connects to the gateway. */
export function usesGateway(shards: Shards): boolean {
  return shards === 'auto' || shards.count > 0;
}

/** Whether this process is certain to get a shard, which tells it who the bot is; `isShared`: with others. */
export function hasShard(shards: Shards, isShared: boolean): boolean {
  return !isShared && (shards === 'auto' || (shards.count > 0 && shards.ids.length === shards.count));
}

/** The shards to run, if Discord recommends this total; `isShared`: with the other processes of the bot. */
export function shardsToRun(
  shards: Shards,
  recommended: number,
  isShared: boolean,
): { readonly ids: readonly number[]; readonly count: number } {
  if (shards !== 'auto') return shards;
  const count = isShared ? Math.max(leastShared, recommended) : recommended;
  return { ids: Array.from({ length: count }, (_, id) => id), count };
}

/** Milliseconds between log-ins of one rate limit key: five seconds (events/gateway), and a margin for the network. */
const spacing = 5_250;
/** Milliseconds within which Discord says how many are left; otherwise what's known from before counts. */
const longestAnswer = 1_500;
/** Between tries while the database is away, in milliseconds. */
const waits: Waits = { first: 500, longest: 5_000 };
const day = 86_400_000;

/**
 * Lets the bot's shards log in one after the other: each rate limit key (the shard's id modulo `max_concurrency`) once in
 * five seconds, and all together within the daily limit. Discord resets the token of a bot that exceeds it. Processes
 * take turns by a lock for each key, and learn from Discord how many log-ins the others have left of the day's.
 */
export class LogIns {
  readonly #locks: Coordination['locks'];
  readonly #clock: Clock;
  readonly #ask: (() => Promise<APIGatewaySessionStartLimit>) | undefined;
  #concurrency = 1;
  #total = 1;
  #remaining = 1;
  /** By the steady clock. */
  #resetsAt = 0;

  /** `ask`: Discord, how many are left; where this process isn't the only one that logs in. */
  constructor(
    locks: Coordination['locks'],
    clock: Clock,
    ask: (() => Promise<APIGatewaySessionStartLimit>) | undefined,
  ) {
    this.#locks = locks;
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Reads the limits from `GET /gateway/bot`. */
  learn({ total, remaining, reset_after, max_concurrency }: APIGatewaySessionStartLimit): void {
    this.#total = total;
    this.#remaining = remaining;
    this.#resetsAt = this.#clock.steady() + reset_after;
    this.#concurrency = max_concurrency;
  }

  /** Milliseconds until the next log-in, if the day's are used up. */
  get exhaustedFor(): number | undefined {
    const wait = this.#resetsAt - this.#clock.steady();
    return this.#remaining > this.#othersUnderWay || wait <= 0 ? undefined : wait;
  }

  /** Log-ins of other keys that Discord may not have counted when it said how many are left. */
  get #othersUnderWay(): number {
    return this.#ask ? this.#concurrency - 1 : 0;
  }

  /** Resolves when a shard may log in; rejects if `signal` is aborted before that, and counts nothing then. */
  async wait(shardId: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { promise: exhaustedFor, resolve, reject } = Promise.withResolvers<number | undefined>();
      const turn = async () => {
        signal.throwIfAborted();
        resolve(await this.#take());
        if ((await exhaustedFor) === undefined) await sleep(this.#clock, spacing);
      };
      const run = () => this.#locks.run(`discord log-in ${shardId % this.#concurrency}`, turn);
      untilDone(run, { clock: this.#clock, waits, signal }).catch(reject);
      const wait = await exhaustedFor;
      if (wait === undefined) return;
      await sleep(this.#clock, wait, signal);
    }
  }

  /** Counts a log-in, or tells in how many milliseconds there is one again. */
  async #take(): Promise<number | undefined> {
    const asked = this.#ask?.().catch(() => undefined);
    const known = asked && (await inTime(this.#clock, longestAnswer, asked, undefined));
    if (known) this.learn(known);
    const wait = this.exhaustedFor;
    if (wait !== undefined) return wait;
    if (this.#remaining <= this.#othersUnderWay) {
      this.#remaining = this.#total;
      this.#resetsAt = this.#clock.steady() + day;
    }
    this.#remaining -= 1;
    return undefined;
  }
}
