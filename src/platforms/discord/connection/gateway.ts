import {
  type APIGatewaySessionStartLimit,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
} from 'discord-api-types/v10';
import type { Coordination } from '../../../coordination/index.ts';
import { type Clock, inTime, sleep, untilDone, waitAfter, type Waits } from '../../../lib/clock.ts';
import type { DiscordApi } from '../api/api.ts';
import { isTokenRefused } from '../api/errors.ts';
import { shardOf } from '../servers/known-servers.ts';
import { type OwnershipDependencies, ShardOwnership } from './shard-ownership.ts';
import { Shard, type ShardDependencies } from './shard.ts';

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
function shardsToRun(
  shards: Shards,
  recommended: number,
  isShared: boolean,
): { readonly ids: readonly number[]; readonly count: number } {
  if (shards !== 'auto') return shards;
  const count = isShared ? Math.max(leastShared, recommended) : recommended;
  return { ids: Array.from({ length: count }, (_, id) => id), count };
}

export interface GatewayDependencies
  extends Omit<ShardDependencies, 'onRefused' | 'onProgress' | 'mayConnect'>, OwnershipDependencies {
  readonly api: Pick<DiscordApi, 'gateway'>;
  readonly shards: Shards;
  /** With the other processes of the bot. */
  readonly coordination: OwnershipDependencies['coordination'] & Pick<Coordination, 'locks' | 'slots'>;
  /** What a session depends on besides its intents: where that has changed the bot logs in anew. */
  readonly settings: readonly unknown[];
  /** Asks for the privileged intent MESSAGE_CONTENT; without it if Discord refuses that. */
  readonly messageContent?: boolean;
}

/** For operators. */
const tokenRefused = 'Discord does not accept DISCORD_TOKEN';
/** The same, in the log. */
const contentRefused =
  'Discord does not show this bot the content of messages: turn on “Message Content Intent” on the Bot page of the developer portal, or set DISCORD_MESSAGE_CONTENT=off. Until then, the bot has to be mentioned in threads too';

/** Three intents, and a privileged fourth one only if asked for. */
const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages;

/** Waits between tries to connect all shards, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 300_000 };

/**
 * The connection to the gateway. Each of the shards that this process holds keeps up its own connection, and passes on
 * events as soon as they come. If Discord refuses what the shards have in common, all of them connect again after a wait.
 */
export class Gateway {
  readonly #dependencies: GatewayDependencies;
  readonly #logIns: LogIns;
  #ownership: ShardOwnership | undefined;
  #opened = Promise.withResolvers<ShardOwnership>();
  #count = 1;
  #failures = 0;
  #reason = 'connecting to Discord';
  /** Why Discord refused the last try; undefined once it accepts one. */
  #refusal: string | undefined;
  #closed = false;
  /** Resolved once the shards before are let go. */
  #left: Promise<void> | undefined;
  #cancelRetry = () => {};
  #messageContent: boolean;

  constructor(dependencies: GatewayDependencies) {
    this.#dependencies = dependencies;
    this.#messageContent = dependencies.messageContent === true;
    const { clock, api, coordination } = dependencies;
    const limit = async () => (await api.gateway()).session_start_limit;
    this.#logIns = new LogIns(coordination.locks, clock, coordination.slots && limit);
  }

  /** Starts connecting, and reconnects by itself. */
  open(): void {
    void this.#connect();
  }

  /** Whether this process is told what happens in a server. */
  tellsOf(serverId: string): boolean {
    return this.#ownership?.shard(shardOf(serverId, this.#count))?.hasSession === true;
  }

  /** The same, and what was missed there is on record. */
  hears(serverId: string): boolean {
    return this.#ownership?.hears(shardOf(serverId, this.#count)) === true;
  }

  /** Whether Discord shows the bot what messages say that don't mention it. */
  get readsAll(): boolean {
    return this.#messageContent;
  }

  /** Why the shards that this process holds aren't ready; undefined if they are, or others hold all. */
  notReady(): string | undefined {
    if (!this.#ownership?.hasLooked) return this.#reason;
    const reasons = this.#ownership.shards.flatMap((shard) => shard.notReady() ?? []);
    const wait = this.#logIns.exhaustedFor;
    if (reasons.length > 0 && wait !== undefined) {
      const until = new Date(this.#dependencies.clock.now() + wait);
      return `Discord accepts no more log-ins of this bot before ${until.toISOString()}`;
    }
    return reasons.length > 0 ? (this.#refusal ?? reasons[0]) : undefined;
  }

  /** Resolves once what was missed in the sessions that this process goes on with is known; while Discord is away, it waits. */
  async caughtUp(): Promise<void> {
    await (await this.#opened.promise).caughtUp();
  }

  /** How many of this process's shards are ready, and how many it holds; 0 before the first log-in. */
  get shards(): { readonly ready: number; readonly wanted: number } {
    const shards = this.#ownership?.shards ?? [];
    const ready = shards.filter((shard) => shard.notReady() === undefined);
    return { ready: ready.length, wanted: shards.length };
  }

  /** Disconnects for good: other processes, or the next one, go on with the sessions. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    await this.#leave('closed');
  }

  async #connect(): Promise<void> {
    const { api, shards, settings, coordination } = this.#dependencies;
    try {
      await this.#left;
      const gateway = await api.gateway();
      if (this.#closed) return;
      this.#logIns.learn(gateway.session_start_limit);
      const { ids, count } = shardsToRun(shards, gateway.shards, coordination.slots !== undefined);
      const wanted = this.#messageContent ? intents | GatewayIntentBits.MessageContent : intents;
      this.#count = count;
      const ownership = new ShardOwnership(this.#dependencies, {
        ids,
        count,
        settings: [wanted, ...settings],
        create: (id, kept) =>
          new Shard(
            {
              ...this.#dependencies,
              onDispatch: (event, isLeft) => this.#onDispatch(event, isLeft),
              mayConnect: (shard) => ownership.mayConnect(shard),
              onProgress: (shard) => ownership.changed(shard),
              onRefused: (reason, code) => this.#refused(reason, code),
            },
            {
              ...{ id, count, intents: wanted, gateway },
              mayLogIn: (signal) => this.#logIns.wait(id, signal),
              ...(kept && { kept }),
            },
          ),
      });
      this.#ownership = ownership;
      this.#opened.resolve(ownership);
    } catch (error) {
      this.#dependencies.log.error({ error }, 'could not ask Discord for its gateway');
      this.#reconnect(isTokenRefused(error) ? tokenRefused : String(error));
    }
  }

  #onDispatch(event: GatewayDispatchPayload, isLeft: boolean): Promise<void> | undefined {
    const { Ready, Resumed } = GatewayDispatchEvents;
    if (event.t === Ready || event.t === Resumed) {
      this.#failures = 0;
      this.#refusal = undefined;
    }
    return this.#dependencies.onDispatch(event, isLeft);
  }

  /** Mentions and commands work without the intent, so a refused one is said and done without. */
  #refused(reason: string, closeCode: number): void {
    if (closeCode === GatewayCloseCodes.DisallowedIntents && this.#messageContent) {
      this.#messageContent = false;
      this.#dependencies.log.error({}, contentRefused);
    }
    this.#refusal = closeCode === GatewayCloseCodes.AuthenticationFailed ? tokenRefused : reason;
    this.#reconnect(this.#refusal);
  }

  /** Lets go of all shards and connects again after a wait. */
  #reconnect(reason: string): void {
    if (this.#closed) return;
    void this.#leave(reason);
    const wait = waitAfter(++this.#failures, waits);
    this.#dependencies.log.warn({ reason, wait }, 'the connection to Discord is lost');
    this.#cancelRetry();
    this.#cancelRetry = this.#dependencies.clock.after(wait, () => void this.#connect());
  }

  #leave(reason: string): Promise<void> {
    this.#reason = reason;
    const ownership = this.#ownership;
    this.#ownership = undefined;
    if (ownership) {
      this.#opened = Promise.withResolvers();
      this.#left = Promise.all([this.#left, ownership.close()]).then(() => {});
    }
    return this.#left ?? Promise.resolve();
  }
}

/** Milliseconds between log-ins of one rate limit key: five seconds (events/gateway), and a margin for the network. */
const spacing = 5_250;
/** Milliseconds within which Discord says how many are left; otherwise what's known from before counts. */
const longestAnswer = 1_500;
/** Between tries while the database is away, in milliseconds. */
const databaseWaits: Waits = { first: 500, longest: 5_000 };
const day = 86_400_000;

/**
 * Lets the bot's shards log in one after the other: each rate limit key (the shard's id modulo `max_concurrency`) once in
 * five seconds, and all together within the daily limit. Discord resets the token of a bot that exceeds it. Processes
 * take turns by a lock for each key, and learn from Discord how many log-ins the others have left of the day's.
 */
class LogIns {
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
      untilDone(run, { clock: this.#clock, waits: databaseWaits, signal }).catch(reject);
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
