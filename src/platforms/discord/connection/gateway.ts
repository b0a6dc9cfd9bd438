import { DiscordAPIError } from '@discordjs/rest';
import {
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
} from 'discord-api-types/v10';
import type { Coordination } from '../../../coordination/index.ts';
import { type Waits, waitAfter } from '../../../lib/backoff.ts';
import { PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { shardOf } from '../servers/known-servers.ts';
import { IdentifyThrottle } from './identify-throttle.ts';
import type { KeptSession, KeptSessions } from './kept-sessions.ts';
import { Shard, type ShardDependencies } from './shard.ts';
import { type Shards, shardsToRun } from './shards.ts';

export interface GatewayDependencies
  extends Omit<ShardDependencies, 'onRefused' | 'onProgress' | 'mayResume'> {
  readonly api: Pick<DiscordApi, 'gateway'>;
  readonly shards: Shards;
  /** With the other processes of the bot. */
  readonly coordination: Pick<Coordination, 'slots'>;
  /** Of this process's shards, for the process after it. */
  readonly sessions: Pick<KeptSessions, 'take' | 'mayResume' | 'changed' | 'leave'>;
  /** What a session depends on besides its intents: where that has changed the bot logs in anew. */
  readonly settings: readonly unknown[];
  /** Asks for the privileged intent MESSAGE_CONTENT; without it if Discord refuses that. */
  readonly messageContent?: boolean;
}

/** In the log, for operators. */
const contentRefused =
  'Discord does not show this bot the content of messages: turn on “Message Content Intent” on the Bot page of the developer portal, or set DISCORD_MESSAGE_CONTENT=off. Until then, the bot has to be mentioned in threads too';

/** Three intents, and a privileged fourth one only if asked for. */
const intents = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages;

/** Waits between tries to connect all shards, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 300_000 };

/**
 * The connection to the gateway. Each of this process's shards keeps up its own connection, and passes on events as soon
 * as they come. If Discord refuses what the shards have in common, all of them connect again after a wait.
 */
export class Gateway {
  readonly #dependencies: GatewayDependencies;
  readonly #throttle: IdentifyThrottle;
  #shards: readonly Shard[] = [];
  #count = 1;
  #failures = 0;
  #reason = 'connecting to Discord';
  #closed = false;
  /** Sessions of an earlier process are gone on with once: where Discord refuses them, the bot logs in anew. */
  #isFirst = true;
  #cancelRetry = () => {};
  #messageContent: boolean;

  constructor(dependencies: GatewayDependencies) {
    this.#dependencies = dependencies;
    this.#messageContent = dependencies.messageContent === true;
    const { clock, api, coordination } = dependencies;
    const limit = async () => (await api.gateway()).session_start_limit;
    this.#throttle = new IdentifyThrottle(clock, coordination.slots && { slots: coordination.slots, limit });
  }

  /** Starts connecting, and reconnects by itself. */
  open(): void {
    void this.#connect();
  }

  /** Whether this process is told what happens in a server. */
  tellsOf(serverId: string): boolean {
    const id = shardOf(serverId, this.#count);
    return this.#shards.some((shard) => shard.id === id && shard.hasSession);
  }

  /** Whether Discord shows the bot what messages say that don't mention it. */
  get readsAll(): boolean {
    return this.#messageContent;
  }

  /** Why the connection isn't ready; undefined if it is. */
  notReady(): string | undefined {
    if (this.#shards.length === 0) return this.#reason;
    const reasons = this.#shards.flatMap((shard) => shard.notReady() ?? []);
    const wait = this.#throttle.exhaustedFor;
    if (reasons.length > 0 && wait !== undefined) {
      const until = new Date(this.#dependencies.clock.now() + wait);
      return `Discord accepts no more log-ins of this bot before ${until.toISOString()}`;
    }
    return reasons[0];
  }

  /** How many of this process's shards are ready, and how many there should be; 0 before the first log-in. */
  get shards(): { readonly ready: number; readonly wanted: number } {
    const ready = this.#shards.filter((shard) => shard.notReady() === undefined);
    return { ready: ready.length, wanted: this.#shards.length };
  }

  /** Disconnects for good. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    const shards = this.#shards;
    await Promise.all([this.#closeShards('closed'), this.#dependencies.sessions.leave(shards)]);
  }

  async #connect(): Promise<void> {
    const { api, shards, sessions } = this.#dependencies;
    try {
      const gateway = await api.gateway();
      if (this.#closed) return;
      this.#throttle.learn(gateway.session_start_limit);
      const { ids, count } = shardsToRun(shards, gateway.shards);
      const wanted = this.#messageContent ? intents | GatewayIntentBits.MessageContent : intents;
      const kept = await this.#takeSessions(ids, count, wanted);
      if (this.#closed) return;
      const dependencies: ShardDependencies = {
        ...this.#dependencies,
        onDispatch: (event, isLeft) => this.#onDispatch(event, isLeft),
        mayResume: (session) => sessions.mayResume(session),
        onProgress: (shard) => sessions.changed(shard),
        onRefused: (reason, code) => this.#refused(reason, code),
      };
      const throttle = this.#throttle;
      this.#count = count;
      this.#shards = ids.map((id) => {
        const session = kept.get(id);
        return new Shard(dependencies, {
          ...{ id, count, intents: wanted, gateway, throttle },
          ...(session && { kept: session }),
        });
      });
      for (const shard of this.#shards) shard.open();
    } catch (error) {
      this.#dependencies.log.error({ error }, 'could not ask Discord for its gateway');
      this.#reconnect(isTokenRefused(error) ? 'Discord does not accept DISCORD_TOKEN' : String(error));
    }
  }

  async #takeSessions(
    ids: readonly number[],
    count: number,
    wanted: number,
  ): Promise<ReadonlyMap<number, KeptSession>> {
    const { sessions, settings } = this.#dependencies;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const taken = await sessions.take(ids, count, [wanted, ...settings]);
    return isFirst ? taken : new Map();
  }

  #onDispatch(event: GatewayDispatchPayload, isLeft: boolean): Promise<void> | undefined {
    const { Ready, Resumed } = GatewayDispatchEvents;
    if (event.t === Ready || event.t === Resumed) this.#failures = 0;
    return this.#dependencies.onDispatch(event, isLeft);
  }

  /** Mentions and commands work without the intent, so a refused one is said and done without. */
  #refused(reason: string, closeCode: number): void {
    if (closeCode === GatewayCloseCodes.DisallowedIntents && this.#messageContent) {
      this.#messageContent = false;
      this.#dependencies.log.error({}, contentRefused);
    }
    this.#reconnect(reason);
  }

  /** Closes all shards and connects again after a wait. */
  #reconnect(reason: string): void {
    if (this.#closed) return;
    void this.#closeShards(reason);
    const wait = waitAfter(++this.#failures, waits);
    this.#dependencies.log.warn({ reason, wait }, 'the connection to Discord is lost');
    this.#cancelRetry();
    this.#cancelRetry = this.#dependencies.clock.after(wait, () => void this.#connect());
  }

  async #closeShards(reason: string): Promise<void> {
    const shards = this.#shards;
    this.#shards = [];
    this.#reason = reason;
    await Promise.all(shards.map((shard) => shard.close()));
  }
}

function isTokenRefused(error: unknown): boolean {
  const cause = error instanceof PlatformError ? error.cause : error;
  return cause instanceof DiscordAPIError && cause.status === 401;
}
