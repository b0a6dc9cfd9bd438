import type { Locale as DiscordLocale } from 'discord-api-types/v10';
import { Hono } from 'hono';
import { pino } from 'pino';
import { expect } from 'vitest';
import { alone, type Coordination } from '../../../../src/coordination/index.ts';
import { coordinateOverPostgres } from '../../../../src/coordination/postgres.ts';
import { Dispatcher } from '../../../../src/engine/index.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { randomId } from '../../../../src/lib/text.ts';
import { createApp, listen } from '../../../../src/ops/index.ts';
import type { Shards } from '../../../../src/platforms/discord/connection/gateway.ts';
import { interactionsPath } from '../../../../src/platforms/discord/connection/interactions-endpoint.ts';
import { type DiscordPlatform, startDiscord } from '../../../../src/platforms/discord/start.ts';
import {
  actionId,
  type Address,
  type DeletedMessages,
  type Message,
  type Platform,
  type PlatformAdapters,
} from '../../../../src/port/index.ts';
import {
  createDrafts,
  createJobs,
  createLiveAnswers,
  type Database,
  openKeyv,
  Processes,
} from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { type AnyCommand, rulesBy } from '../../../fakes/commands.ts';
import { openMigrated } from '../../../fakes/database.ts';
import {
  type Channel,
  FakeDiscord,
  type FakeDiscordOptions,
  type Guild,
  type Person,
  type Message as Posted,
} from '../../../fakes/discord/index.ts';
import { shardOf } from '../../../fakes/discord/snowflakes.ts';
import { noPlaces } from '../../../fakes/places.ts';
import { removalsOf } from '../../../fakes/removals.ts';
import { unwatched } from '../../../fakes/unwatched.ts';
import { patience } from '../../../patience.ts';
import { gifts } from './commands.ts';
import { invited, shortBuckets, wideBuckets } from './invited.ts';
import { openAnswers } from './live-command.ts';

/** A server with the bot in it, a person, and the platform running against them. */
export interface Stage {
  readonly discord: FakeDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  readonly bob: Person;
  readonly platform: Platform;
  /** All of them, where there are two processes. */
  readonly platforms: readonly Platform[];
  /** As if one of two processes were killed: the database doesn't see it any more. */
  vanish(process: string): Promise<void>;
  /** The ids of the processes. */
  readonly processes: readonly string[];
  readonly database: Database;
  readonly logged: string[];
  /** Where the channel is. */
  readonly place: { readonly platform: 'discord'; readonly workspace: string; readonly channel: string };
  /** The bot's messages in a channel, such as `general`. */
  ofBot(place?: Pick<Channel, 'id'>, options?: { readonly ephemeral?: boolean }): Posted[];
  /** Where the first command on record is answered. */
  jobAddress(): Promise<Address>;
  /** Takes a permission from everybody in the server. */
  forbid(bits: bigint): void;
  /** As a process that stops: commands that come from now on are sent away. */
  refuseCommands(): Promise<void>;
  /** Stops the platform and starts it again on the same database, as after a restart. */
  restart(restart?: Restart): Promise<void>;
}

export interface Restart {
  /** What was on record of its sessions before its stop is all that's left of them, as after `kill -9`. */
  readonly killed?: boolean;
  /** What it does after that. */
  readonly beforeDeath?: () => Promise<void>;
  /** What happens while no process runs. */
  readonly meanwhile?: () => void | Promise<void>;
  /** What's configured differently from then on. */
  readonly changed?: Partial<StageOptions>;
}

export interface StageOptions extends FakeDiscordOptions {
  readonly commands: readonly AnyCommand[];
  /** `another slice`: not the server's, so that the gateway tells nothing about it. */
  readonly shards?: Shards | 'another slice';
  /** Asks for the intent MESSAGE_CONTENT. */
  readonly messageContent?: boolean;
  /** Messages in threads have to mention the bot. */
  readonly mentionOnly?: boolean;
  readonly locale?: DiscordLocale;
  /** Sets the scene before the bot connects. */
  readonly before?: (discord: FakeDiscord) => void;
  /** The bot's clock, where it is another than Discord's. */
  readonly botClock?: Clock;
  /** The only server in which the commands are registered. */
  readonly guildId?: (discord: FakeDiscord) => string;
  /** What is asked before a command runs. */
  readonly question?: string;
  /** Why commands are refused now. */
  readonly refusal?: (() => string | undefined) | undefined;
  /** The servers where the bot runs; everywhere where absent. */
  readonly allowedGuilds?: (discord: FakeDiscord) => readonly string[];
  /** Ids of those who run it, or how that is found out. */
  readonly operators?: readonly string[] | ((person: string) => Promise<boolean>);
  /** What comes of messages that were deleted. */
  readonly deleted?: (messages: DeletedMessages) => Promise<void>;
  /** Reads a file somebody attached; from the test server by default. */
  readonly download?: (url: string) => Promise<Uint8Array>;
  /** Interactions come over HTTP. Without any shards there is no gateway. */
  readonly http?: boolean;
  /** Two processes on this PostgreSQL database: every request comes to both at once, to the first alone, or to each in turn. */
  readonly twiceOn?: string;
  /** Where one process keeps what it knows; in memory where absent. */
  readonly databaseUrl?: string;
  readonly requestsTo?: 'both' | 'first' | 'in turn';
  /** False: does not wait for the connection. */
  readonly connected?: boolean;
}

export async function startStage(options: StageOptions): Promise<Stage> {
  openAnswers.length = 0;
  gifts.clear();
  const clock = options.botClock ?? options.clock ?? options.jumping ?? systemClock;
  // By the machine's clock nothing is too late: it may be busy with other things.
  const waitsFor = options.clock || options.jumping ? {} : { waitsFor: patience.timeout };
  const buckets = clock === systemClock ? shortBuckets : wideBuckets;
  const discord = await FakeDiscord.start({ buckets, ...waitsFor, ...options });
  endsWithTest(() => discord.close());
  discord.gateway.identifyWindow = 0;
  const owner = discord.world.addUser('owner');
  const guild = discord.world.addGuild({
    name: 'Analysts',
    owner,
    permissions: invited,
    ...(options.locale && { locale: options.locale }),
  });
  const channel = discord.world.addChannel(guild, 'general');
  const [ada, bob] = [discord.addPerson(guild, 'ada'), discord.addPerson(guild, 'bob')];
  options.before?.(discord);
  const database = await opened(options);
  const logged: string[] = [];
  const log = pino(
    { level: 'trace', serializers: { error: pino.stdSerializers.err } },
    { write: (line: string) => void logged.push(line) },
  );
  const platforms: DiscordPlatform[] = [];
  const coordinations: Coordination[] = [];
  let running: StageOptions = options;
  let dispatchers: Dispatcher[] = [];
  const start = async () => {
    const options = running;
    dispatchers = [];
    const processes = options.twiceOn === undefined ? [database] : [database, await opened(options)];
    platforms.length = 0;
    for (const each of processes) {
      const coordination = await coordinationOn(options, each);
      coordinations.push(coordination);
      const { platform: one, dispatcher } = startPlatform(discord, each, clock, options, log, coordination);
      dispatchers.push(dispatcher);
      endsWithTest(async () => {
        await one.stopReceiving();
        await one.close();
      });
      platforms.push(one);
    }
    const [first] = platforms as [DiscordPlatform];
    await serve(discord, options.requestsTo === 'first' ? [first] : platforms, log, options.requestsTo);
    if (options.connected !== false) for (const one of platforms) await connected(discord, one, options);
    return first;
  };
  let platform = await start();
  endsWithTest(() => expect(discord.journal.violations).toEqual([]));
  return {
    discord,
    guild,
    channel,
    ada,
    bob,
    get platform() {
      return platform;
    },
    platforms,
    vanish: async (id) => coordinations.find(({ process }) => process === id)?.close(),
    get processes() {
      return coordinations.map(({ process }) => process);
    },
    database,
    logged,
    place: { platform: 'discord', workspace: guild.id, channel: channel.id },
    ofBot: (place = channel, options = {}) =>
      discord.messagesIn(place, options).filter(({ authorId }) => authorId === discord.world.bot.id),
    jobAddress: async () => {
      const row = await database.selectFrom('jobs').select('address').executeTakeFirstOrThrow();
      return JSON.parse(row.address) as Address;
    },
    forbid: (bits) => {
      const everyone = guild.roles.get(guild.id)!;
      everyone.permissions &= ~bits;
    },
    refuseCommands: async () => void (await Promise.all(dispatchers.map((one) => one.stop()))),
    restart: async ({ killed = false, beforeDeath, meanwhile, changed } = {}) => {
      const sessions = killed ? await sessionsOnRecord(database) : [];
      await beforeDeath?.();
      await platform.stopReceiving();
      await platform.close();
      for (const { key, ...row } of sessions)
        await database.updateTable('keyv').set(row).where('key', '=', key).execute();
      await meanwhile?.();
      running = { ...running, ...changed };
      platform = await start();
    },
  };
}

function sessionsOnRecord(database: Database) {
  return database.selectFrom('keyv').selectAll().where('key', 'like', 'discord::gateway session %').execute();
}

/** Sets a scene in which nobody has a permission, so that the bot knows it from the gateway. */
export function withoutPermission(bits: bigint): (discord: FakeDiscord) => void {
  return (discord) => {
    for (const guild of discord.world.guilds.values()) guild.roles.get(guild.id)!.permissions &= ~bits;
  };
}

/** Sets a scene in which people installed the bot for themselves: it isn't a member of any server. */
export function withoutBot({ world }: FakeDiscord): void {
  for (const guild of world.guilds.values()) {
    guild.hasBot = false;
    guild.members.delete(world.bot.id);
  }
}

/** What the buttons below a message are called. */
export const labelsOf = ({ components }: Pick<Posted, 'components'>): string[] =>
  components.flatMap((row) => (row.components as { readonly label: string }[]).map(({ label }) => label));

async function opened({ databaseUrl = 'sqlite::memory:', twiceOn }: StageOptions): Promise<Database> {
  const database = await openMigrated(twiceOn ?? databaseUrl);
  endsWithTest(() => database.destroy());
  return database;
}

async function coordinationOn({ twiceOn: url }: StageOptions, database: Database): Promise<Coordination> {
  if (url === undefined) return alone();
  const settings = { connectionString: url };
  const log = { warn: () => {}, info: () => {} };
  const coordination = await coordinateOverPostgres({ settings, database, clock: systemClock, log });
  await new Processes(database).begin(coordination.process, new Map());
  endsWithTest(
    coordination.others.watch({ gone: () => {}, takenForDead: () => {}, beginAgain: async () => {} }),
  );
  endsWithTest(() => coordination.close());
  return coordination;
}

/**
 * Puts the platforms' routes on a server, and its address into the application's settings. Of several processes each
 * gets every request at the same moment, as with a proxy that repeats them; the first one's answer counts.
 */
async function serve(
  discord: FakeDiscord,
  platforms: readonly DiscordPlatform[],
  log: pino.Logger,
  requestsTo: StageOptions['requestsTo'],
): Promise<void> {
  let turn = 0;
  const all = platforms.flatMap(({ routes }) => routes ?? []);
  const [only] = all;
  if (!only) return;
  const proxy = new Hono().all('*', async ({ req: { raw } }) => {
    const body = await raw.arrayBuffer();
    const { method, headers, url } = raw;
    const send = (to: Hono) => to.fetch(new Request(url, { method, headers, body }));
    const next = all[turn++ % all.length];
    const [first] = await Promise.all((requestsTo === 'in turn' && next ? [next] : all).map(send));
    return first ?? new Response(null, { status: 502 });
  });
  const server = await listen(createApp(log).route('/', all.length > 1 ? proxy : only), 0, '127.0.0.1');
  endsWithTest(() => server.close());
  await discord.endpoint.save(`${server.url}${interactionsPath}`);
}

async function connected(discord: FakeDiscord, platform: Platform, options: StageOptions): Promise<void> {
  const scope = options.guildId?.(discord) ?? 'global';
  const count = registered(options.commands);
  await discord.until('the commands', () => discord.commands.list(scope).length === count);
  await discord.until('the connection', () => platform.notReady() === undefined);
}

function shardsFor({ world }: FakeDiscord, { shards, http = false }: StageOptions): Shards {
  if (shards !== 'another slice') return shards ?? (http ? { ids: [], count: 0 } : 'auto');
  const [guild = ''] = world.guilds.keys();
  return { ids: [1 - shardOf(guild, 2)], count: 2 };
}

/** How many commands Discord has then: slash commands, and those in the menu of a message. */
function registered(commands: readonly AnyCommand[]): number {
  return commands.length + commands.filter(({ fromMessage }) => fromMessage).length;
}

function startPlatform(
  discord: FakeDiscord,
  database: Database,
  clock: Clock,
  options: StageOptions,
  log: pino.Logger,
  coordination: Coordination,
): { readonly platform: DiscordPlatform; readonly dispatcher: Dispatcher } {
  const { commands, question, download, allowedGuilds, guildId, operators = [] } = options;
  const { messageContent = false, mentionOnly = false, deleted } = options;
  const adapters: PlatformAdapters = (name) => (name === 'discord' ? platform.adapter : undefined);
  const dispatcher = new Dispatcher({
    commands,
    jobs: createJobs(database),
    answers: createLiveAnswers(database),
    drafts: createDrafts(
      openKeyv(database, 'draft', () => clock.now()),
      randomId,
    ),
    adapters,
    rules: rulesBy(async (_, values) => {
      const text = options.refusal?.();
      if (text !== undefined) return { kind: 'refused', text };
      return { kind: 'allowed', values, settings: {}, ...(question !== undefined && { question }) };
    }),
    notifyLater: () => {},
    watch: unwatched(),
    changeQuestion: (question) => removalsOf(database, adapters, clock).changeQuestion(question),
    ...(deleted && { deleted }),
    mentionOnly: async () => mentionOnly,
    explain: (error, job): Message => ({
      text: `⚠️ ${error instanceof Error ? error.message : 'fault'}`,
      buttons: [{ id: actionId(job.command, 'again', job.id), label: 'Try again' }],
    }),
    suggest: (_, typed) =>
      ['alpha', 'beta']
        .filter((name) => name.includes(typed))
        .map((value) => ({ value, label: value.toUpperCase() })),
    newId: randomId,
    clock,
  });
  const platform: DiscordPlatform = startDiscord({
    places: noPlaces,
    coordination,
    token: discord.token,
    apiUrl: discord.apiUrl,
    shards: shardsFor(discord, options),
    ...(options.http && { publicKey: discord.endpoint.publicKey }),
    messageContent,
    ...(guildId && { guildId: guildId(discord) }),
    ...(allowedGuilds && { allowedGuilds: allowedGuilds(discord) }),
    isOperator: async (person) =>
      typeof operators === 'function' ? operators(person) : operators.includes(person),
    dispatcher,
    contextTokens: 1_000,
    database,
    clock,
    log,
    download: download ?? (async (url) => discord.fileBytes(url) ?? new Uint8Array()),
  });
  return { platform, dispatcher };
}
