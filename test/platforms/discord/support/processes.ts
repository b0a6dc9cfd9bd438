import { GatewayDispatchEvents } from 'discord-api-types/v10';
import type { Coordination } from '../../../../src/coordination/index.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import {
  Gateway,
  type GatewayDependencies,
  type Shards,
} from '../../../../src/platforms/discord/connection/gateway.ts';
import { HeardShards } from '../../../../src/platforms/discord/connection/heard-shards.ts';
import { shardOf } from '../../../../src/platforms/discord/servers/known-servers.ts';
import { endsWithTest } from '../../../at-end.ts';
import { passWhile } from '../../../fakes/calm.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { type Channel, FakeDiscord } from '../../../fakes/discord/index.ts';
import type { Readings } from '../../../fakes/discord/readings.ts';
import { invited } from './invited.ts';

const ignore = () => {};
const log = { info: ignore, warn: ignore, error: ignore };
/** Processes that start one after the other while time stands still. */
const buckets = { gateway: { limit: 1_000, windowMilliseconds: 1_000 } };

type Rows = Map<string, { readonly row: unknown; readonly until: number }>;

/** Where the sessions of shards are on record, by key; for so long by a clock. */
export function recordsInMemory(clock: Pick<Clock, 'steady'>, rows: Rows = new Map()) {
  const get = <T>(key: string): T | undefined => {
    const { row, until } = rows.get(key) ?? { row: undefined, until: 0 };
    return until > clock.steady() ? (structuredClone(row) as T) : undefined;
  };
  const startingWith = <T>(prefix: string): readonly T[] =>
    [...rows.keys()].flatMap((key) => (key.startsWith(prefix) ? (get<T>(key) ?? []) : []));
  return {
    all: () => startingWith(''),
    get: async <T>(key: string) => get<T>(key),
    startingWith: async <T>(prefix: string) => startingWith<T>(prefix),
    async change<T>(key: string, life: number, work: (before: T | undefined) => T | undefined) {
      const row = work(get<T>(key));
      if (row !== undefined) rows.set(key, { row: structuredClone(row), until: clock.steady() + life });
      return row;
    },
  };
}

/** What's the same for every gateway of a test. */
export function gatewayParts(discord: {
  readonly token: string;
}): Pick<
  GatewayDependencies,
  'token' | 'settings' | 'log' | 'onTakenUp' | 'onMoved' | 'identity' | 'onDispatch'
> {
  const identity = { id: '1', name: 'troupe', applicationId: '2' };
  return {
    ...{ token: discord.token, settings: [], log, identity: () => identity },
    ...{ onTakenUp: ignore, onMoved: ignore, onDispatch: () => undefined },
  };
}

/** A shard's row, as far as tests look at it. */
interface Row {
  readonly id: number;
  readonly holder?: string;
  readonly session?: { readonly sessionId: string; readonly sequence: number };
}

/** How a process is kept from working. */
type Trouble = 'dead' | 'frozen' | 'cut off';

/** One of the bot's processes. */
export class Process {
  readonly gateway: Gateway;
  readonly #heardShards: HeardShards;
  readonly id: string;
  /** What was written, in the order it came; `left: …` what another process may have begun to answer. */
  readonly heard: string[] = [];
  /** The shards that came to it and went from it. */
  readonly moved: number[] = [];
  readonly #processes: Processes;
  readonly #coordination: Coordination;
  #trouble: Trouble | undefined;
  #changed = Promise.withResolvers<void>();

  /** `gatewayUrl`: where this process looks for the gateway, if elsewhere. */
  constructor(processes: Processes, shards: Shards, gatewayUrl?: string) {
    const { discord, clock } = processes;
    const coordination = processes.next();
    this.#processes = processes;
    this.id = coordination.process;
    this.#coordination = coordination;
    const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock });
    const { records } = processes;
    this.#heardShards = new HeardShards({ records, coordination, clock });
    this.gateway = new Gateway({
      ...gatewayParts(discord),
      ...{ shards, clock, coordination, messageContent: processes.asksForContent },
      api: { gateway: async () => ({ ...(await api.gateway()), ...(gatewayUrl && { url: gatewayUrl }) }) },
      records: {
        get: (key) => this.#reached(() => records.get(key)),
        startingWith: (key) => this.#reached(() => records.startingWith(key)),
        change: (...change) => this.#reached(() => records.change(...change)),
      },
      onMoved: (id) => void this.moved.push(id),
      onDispatch: ({ t, d }, isLeft) => {
        discord.world.changed();
        if (t !== GatewayDispatchEvents.MessageCreate) return undefined;
        const text = processes.textOf(d.content);
        this.heard.push(isLeft ? `left: ${text}` : text);
        return processes.answer(text, this);
      },
    });
    endsWithTest(async () => {
      this.gets();
      api.close();
      const closed = this.gateway.close();
      // Who is dead waits for nothing.
      if (this.#trouble !== 'dead') await passWhile(clock, closed);
    });
    this.gateway.open();
  }

  get works(): boolean {
    return this.#trouble === undefined;
  }

  /** The shards that are its own on record. */
  get shards(): readonly number[] {
    return this.#processes.rows.filter(({ holder }) => holder === this.id).map(({ id }) => id);
  }

  /** What was missed is on record, as a platform tells it. */
  async caughtUp(): Promise<void> {
    await this.gateway.caughtUp();
    await this.#heardShards.all();
  }

  /** Whether this process or another hears what happens in the server of a shard. */
  async hearsOf(shard: number): Promise<boolean> {
    const server = this.#processes.serverOf(shard);
    return this.gateway.hears(server) || this.#heardShards.hears(server);
  }

  async #reached<T>(work: () => Promise<T>): Promise<T> {
    while (this.#trouble !== 'cut off' && !this.works) await this.#changes();
    if (this.#trouble === 'cut off') throw new Error('cut off');
    return work();
  }

  /** Resolves when it can put something on record; never if it's dead. */
  async canRecord(): Promise<void> {
    while (!this.works) await this.#changes();
  }

  #changes(): Promise<void> {
    return this.#trouble === 'dead' ? new Promise(() => {}) : this.#changed.promise;
  }

  /** Its connections end with it. Others take it for dead when that's due: {@link isTakenForDead}. */
  dies(): void {
    const { rows, discord } = this.#processes;
    this.#trouble = 'dead';
    for (const { holder, session } of rows)
      if (holder === this.id && session)
        discord.gateway.sessions.get(session.sessionId)?.socket()?.terminate();
    // It opens no others; what it would put on record doesn't get there.
    void this.gateway.close();
    void this.#coordination.close();
  }

  /** Its lease is ended. */
  isTakenForDead(): Promise<void> {
    return this.#coordination.others.ended();
  }

  gets(trouble?: Exclude<Trouble, 'dead'>): void {
    if (this.#trouble === 'dead') return;
    this.#trouble = trouble;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  hears(text: string): Promise<unknown> {
    return this.#processes.discord.until(text, () => this.heard.includes(text));
  }
}

/** Processes of one bot, each with its connection to the gateway, and what's on record of the shards. */
export class Processes {
  readonly clock: FakeClock;
  readonly discord: FakeDiscord;
  records: ReturnType<typeof recordsInMemory>;
  readonly next: ReturnType<typeof processesSharing>;
  /** What was written and is on record, in that order. */
  readonly answered = new Set<string>();
  /** How long it takes until something is on record, in milliseconds; for ever where absent. */
  recordedIn: (text: string) => number | undefined = () => 0;
  /** Whether those that start ask for the intent MESSAGE_CONTENT, which Discord refuses. */
  asksForContent = false;
  readonly #stored: Rows = new Map();
  readonly #shards: number;
  readonly #channels: readonly Channel[];

  private constructor(discord: FakeDiscord, clock: FakeClock, shards: number) {
    this.discord = discord;
    this.clock = clock;
    this.records = recordsInMemory(clock, this.#stored);
    this.next = processesSharing(clock);
    this.#shards = shards;
    const owner = discord.world.addUser('owner');
    const channelOf = (shard: number) => {
      for (let age = 0; ; age++) {
        const guild = discord.world.addGuild({
          ...{ name: `${shard}`, owner, permissions: invited, ageMilliseconds: age },
        });
        if (shardOf(guild.id, shards) === shard) return discord.world.addChannel(guild, 'general');
        discord.world.guilds.delete(guild.id);
      }
    };
    this.#channels = Array.from({ length: shards }, (_, shard) => channelOf(shard));
  }

  static async start(shards: number, readings: Partial<Readings> = {}): Promise<Processes> {
    const clock = new FakeClock();
    const discord = await FakeDiscord.start({ jumping: clock, buckets, readings });
    endsWithTest(() => discord.close());
    Object.assign(discord.gateway, { maxConcurrency: shards, identifyWindow: 0 });
    discord.gateway.sessionLife = Number.POSITIVE_INFINITY;
    return new Processes(discord, clock, shards);
  }

  /** The same with a process that has the shards on record. */
  static async startWithOne(
    shards: number,
    readings?: Partial<Readings>,
  ): Promise<{ bot: Processes; first: Process }> {
    const bot = await Processes.start(shards, readings);
    const first = await bot.start();
    await bot.areOnRecord();
    return { bot, first };
  }

  /** Starts one more, and waits until its shards are connected; without that where `connects` is false. */
  async start(ids?: readonly number[], connects = true, gatewayUrl?: string): Promise<Process> {
    const all = Array.from({ length: this.#shards }, (_, id) => id);
    const started = new Process(this, { ids: ids ?? all, count: this.#shards }, gatewayUrl);
    if (connects) await this.discord.until('the connection', () => started.gateway.notReady() === undefined);
    return started;
  }

  /** Those that start from now on run on a machine whose clock is so many milliseconds ahead. */
  clockIsAhead(milliseconds: number): void {
    this.records = recordsInMemory({ steady: () => this.clock.steady() + milliseconds }, this.#stored);
  }

  /** Somebody writes in a server of a shard. */
  writes(text: string, shard = 0): void {
    const owner = [...this.discord.world.users.values()].find(({ name }) => name === 'owner');
    const channel = this.#channels[shard];
    if (!owner || !channel) throw new RangeError(`there is no shard ${shard}`);
    this.discord.person(owner).mentions(channel, `${text}`);
  }

  serverOf(shard: number): string {
    return this.#channels[shard]?.guildId ?? '';
  }

  textOf(content: string): string {
    return content.replace(`<@${this.discord.world.bot.id}> `, '');
  }

  /** Puts an event on record, once, however often it comes and to whom: its answer is then certain. */
  async answer(text: string, by: Process): Promise<void> {
    const time = this.recordedIn(text);
    if (time === undefined) return new Promise(() => {});
    if (time > 0) await new Promise<void>((resolve) => this.clock.after(time, resolve));
    await by.canRecord();
    this.answered.add(text);
  }

  get rows(): readonly Row[] {
    return this.records.all() as readonly Row[];
  }

  /** Log-ins and resumptions so far. */
  get count(): readonly [logIns: number, resumptions: number] {
    return [this.discord.gateway.identifyCount, this.discord.gateway.resumeCount];
  }

  /** The sessions are on record as far as Discord has got. */
  areOnRecord(): Promise<unknown> {
    const { sessions } = this.discord.gateway;
    const isThere = ({ session }: Row) =>
      session !== undefined && sessions.get(session.sessionId)?.sequence === session.sequence;
    return this.discord.until('the sessions on record', () => {
      const { rows } = this;
      return rows.length === this.#shards && rows.every(isThere);
    });
  }
}
