import type { Locale as DiscordLocale } from 'discord.js';
import { pino } from 'pino';
import { afterEach } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { randomId } from '../../../../src/lib/random-id.ts';
import type { Shards } from '../../../../src/platforms/discord/connection/shards.ts';
import { startDiscord } from '../../../../src/platforms/discord/index.ts';
import {
  type AnyCommand,
  actionId,
  Dispatcher,
  type Message,
  type Platform,
  type PlatformAdapters,
} from '../../../../src/port/index.ts';
import {
  createCapabilities,
  createDrafts,
  createJobs,
  createLiveAnswers,
  type Database,
  openDatabase,
  openKeyv,
} from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import {
  type Channel,
  FakeDiscord,
  type FakeDiscordOptions,
  type Guild,
  type Person,
} from '../../../fakes/discord/index.ts';
import { invited, shortBuckets } from './invited.ts';

/** A server with the bot in it, a person, and the platform running against them. */
export interface Stage {
  readonly discord: FakeDiscord;
  readonly guild: Guild;
  readonly channel: Channel;
  readonly ada: Person;
  readonly bob: Person;
  readonly platform: Platform;
  readonly database: Database;
  readonly logged: string[];
  /** Takes a permission from everybody in the server. */
  forbid(bits: bigint): void;
  /** Stops the platform and starts it again on the same database, as after a restart. */
  restart(): Promise<void>;
}

export interface StageOptions extends FakeDiscordOptions {
  readonly commands: readonly AnyCommand<null>[];
  readonly shards?: Shards;
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
  /** The servers where the bot runs; everywhere where absent. */
  readonly allowedGuilds?: (discord: FakeDiscord) => readonly string[];
  /** Ids of those who run it, or how that is found out. */
  readonly operators?: readonly string[] | ((person: string) => Promise<boolean>);
  /** Reads a file somebody attached; from the test server by default. */
  readonly download?: (url: string) => Promise<Uint8Array>;
  /** False: does not wait for the connection. */
  readonly connected?: boolean;
}

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

export async function startStage(options: StageOptions): Promise<Stage> {
  const clock = options.botClock ?? options.clock ?? systemClock;
  const discord = await FakeDiscord.start({ buckets: shortBuckets, ...options });
  open.push(() => discord.close());
  discord.gateway.identifyWindow = 0;
  const owner = discord.world.addUser('owner');
  const guild = discord.world.addGuild({
    name: 'Analysts',
    owner,
    permissions: invited,
    ...(options.locale && { locale: options.locale }),
  });
  const channel = discord.world.addChannel(guild, 'general');
  const [ada, bob] = ['ada', 'bob'].map((name) => {
    const user = discord.world.addUser(name);
    discord.world.addMember(guild, user);
    return discord.person(user);
  });
  options.before?.(discord);
  const database = await openDatabase('sqlite::memory:');
  open.push(() => database.destroy());
  const logged: string[] = [];
  const log = pino(
    { level: 'trace', serializers: { error: pino.stdSerializers.err } },
    { write: (line: string) => void logged.push(line) },
  );
  const start = async () => {
    const running = startPlatform(discord, database, clock, options, log);
    open.push(async () => {
      await running.stopReceiving();
      await running.close();
    });
    if (options.connected !== false) await connected(discord, running, options);
    return running;
  };
  let platform = await start();
  return {
    discord,
    guild,
    channel,
    ada: ada!,
    bob: bob!,
    get platform() {
      return platform;
    },
    database,
    logged,
    forbid: (bits) => {
      const everyone = guild.roles.get(guild.id)!;
      everyone.permissions &= ~bits;
    },
    restart: async () => {
      await platform.stopReceiving();
      await platform.close();
      platform = await start();
    },
  };
}

/** Sets a scene in which nobody has a permission, so that the bot knows it from the gateway. */
export function withoutPermission(bits: bigint): (discord: FakeDiscord) => void {
  return (discord) => {
    for (const guild of discord.world.guilds.values()) guild.roles.get(guild.id)!.permissions &= ~bits;
  };
}

async function connected(discord: FakeDiscord, platform: Platform, options: StageOptions): Promise<void> {
  const scope = options.guildId?.(discord) ?? 'global';
  const count = registered(options.commands);
  await discord.until('the commands', () => discord.commands.list(scope).length === count);
  await discord.until('the connection', () => platform.notReady() === undefined);
}

/** How many commands Discord has then: slash commands, and those in the menu of a message. */
function registered(commands: readonly AnyCommand<null>[]): number {
  return commands.length + commands.filter(({ fromMessage }) => fromMessage).length;
}

function startPlatform(
  discord: FakeDiscord,
  database: Database,
  clock: Clock,
  options: StageOptions,
  log: pino.Logger,
): Platform {
  const { commands, shards = 'auto', question, download, allowedGuilds, guildId, operators = [] } = options;
  const { messageContent = false, mentionOnly = false } = options;
  const adapters: PlatformAdapters = (name) => (name === 'discord' ? platform.adapter : undefined);
  const dispatcher = new Dispatcher<null>({
    commands,
    commandDependencies: null,
    jobs: createJobs(database),
    answers: createLiveAnswers(database),
    drafts: createDrafts(
      openKeyv(database, 'draft', () => clock.now()),
      randomId,
    ),
    adapters,
    rules: async (_, values) => ({
      kind: 'allowed',
      values,
      settings: {},
      ...(question !== undefined && { question }),
    }),
    words,
    notifyLater: () => {},
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
  const platform: Platform = startDiscord<null>({
    token: discord.token,
    apiUrl: discord.apiUrl,
    shards,
    messageContent,
    ...(guildId && { guildId: guildId(discord) }),
    ...(allowedGuilds && { allowedGuilds: allowedGuilds(discord) }),
    isOperator: async (person) =>
      typeof operators === 'function' ? operators(person) : operators.includes(person),
    dispatcher,
    contextTokens: 1_000,
    records: openKeyv(database, 'discord', () => clock.now()),
    capabilities: createCapabilities(database, 'discord', () => clock.now()),
    clock,
    log,
    download: download ?? (async (url) => discord.fileBytes(url) ?? new Uint8Array()),
  });
  return platform;
}
