import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hono } from 'hono';
import { commands } from '../../commands/index.ts';
import { type Bot, createBot } from '../app/bot.ts';
import { type Config, cautions, consoleOn, isPublic } from '../config/config.ts';
import { startEmbeddedSandbox } from '../embedded-sandbox.ts';
import { systemClock } from '../lib/clock.ts';
import { createApp, createMetrics, healthRoutes, type Log, listen, type Readiness } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import { narrow, privateFolderMode } from '../secrets/private-files.ts';
import { vaultOf } from '../secrets/vault.ts';
import { ServiceClient } from '../service/index.ts';
import {
  createCapabilities,
  type Database,
  databaseFileWatch,
  explained,
  isOfDatabase,
  openDatabase,
  openKeyv,
  sweep,
  writeProbe,
} from '../store/index.ts';

/** The running bot. */
export interface Running {
  /** Where its HTTP server can be reached. */
  readonly url: string;
  /** What to say to whoever started it. */
  readonly welcome: string;
  /** Takes nothing more, ends or hands over what is under way, closes everything. */
  stop(): Promise<void>;
}

/** Voices are asked for again, and old records forgotten, so often, in milliseconds. */
const upkeepSpacing = 3_600_000;

/**
 * Starts every part that the configuration asks for. Once `stopping` is aborted nothing of before is taken up any
 * more: what this resolves with can be stopped at once.
 * @throws {DatabaseError} where the database cannot be used, whichever part meets that first.
 */
export async function run(
  config: Config,
  log: Log,
  stopping = new AbortController().signal,
): Promise<Running> {
  try {
    return await start(config, log, stopping);
  } catch (error) {
    throw isOfDatabase(error) ? explained(error, config.DATABASE_URL) : error;
  }
}

async function start(config: Config, log: Log, stopping: AbortSignal): Promise<Running> {
  const clock = systemClock;
  const data = dataFolder(config.DATABASE_URL);
  const database = await openDatabase(config.DATABASE_URL);
  // A former version let others look into them.
  for (const name of dataFolders) narrow(join(data, name), privateFolderMode);
  const sandbox =
    config.SERVICE_BASE_URL === undefined ? await startEmbeddedSandbox(join(data, 'sandbox')) : undefined;
  const service = new ServiceClient({
    baseUrl: config.SERVICE_BASE_URL ?? sandbox?.url ?? '',
    apiKey: config.SERVICE_API_KEY ?? sandbox?.key ?? '',
    resultHosts: config.RESULT_HOSTS,
    clock,
    log: (level, event, fields) => log[level](fields, `service: ${event}`),
  });
  const databaseFile = databaseFileWatch(config.DATABASE_URL);
  const metrics = createMetrics((): number => bot.renders.outstanding);
  const bot: Bot = createBot({
    commands,
    database,
    service,
    clock,
    log,
    spoolFolder: join(data, 'spool'),
    ended: metrics.countCommand,
    settings: {
      operators: config.OPERATORS ?? [],
      chatModel: config.SERVICE_CHAT_MODEL,
      voice: config.SERVICE_VOICE,
      systemPrompt: config.SYSTEM_PROMPT,
      historyTokens: config.HISTORY_TOKENS,
      historyDays: config.HISTORY_DAYS,
      budgets: {
        user: config.USER_DAILY_CREDITS,
        channel: config.CHANNEL_DAILY_CREDITS,
        workspace: config.WORKSPACE_DAILY_CREDITS,
        total: config.TOTAL_DAILY_CREDITS,
      },
      confirmOver: config.CONFIRM_OVER_CREDITS,
    },
  });
  const interrupted = await bot.recovery.findUnfinished();
  await bot.credits.settleAbandoned();
  const app = createApp(log);
  const platforms: ReadonlyMap<PlatformName, Platform> = await startPlatforms({
    config,
    log,
    database,
    bot,
    app,
    data,
  });
  const viewers = { token: config.METRICS_TOKEN, isPublic: isPublic(config) };
  app.route('/', healthRoutes(readiness({ database, databaseFile, platforms, bot }), metrics, viewers));
  const server = await listen(app, config.PORT, config.HOST);
  if (!stopping.aborted) await takeUp(bot, interrupted, log);
  const stopUpkeep = keepUp({ bot, database, databaseFile, log });
  for (const { found, mend } of cautions(config)) log.warn({}, `${found}: ${mend}`);
  if (!stopping.aborted) log.info({ url: server.url, platforms: [...platforms.keys()] }, 'ready');

  return {
    url: server.url,
    welcome: welcome(server.url, [...platforms.keys()], sandbox !== undefined),
    async stop() {
      stopUpkeep();
      // Platforms receive until the end, so that whoever comes meanwhile gets a word instead of silence.
      await bot.close();
      await Promise.all([...platforms.values()].map((platform) => platform.stopReceiving()));
      await Promise.all([...platforms.values()].map((platform) => platform.close()));
      await server.close();
      await service.close();
      await sandbox?.close();
      await database.destroy();
    },
  };
}

/** Goes on with what a former process left. */
async function takeUp(bot: Bot, interrupted: number, log: Log): Promise<void> {
  const late = await bot.deliveries.resume();
  if (late > 0) log.info({ answers: late }, 'going on with answers of before');
  const resumed = await bot.renders.resume();
  if (resumed > 0) log.info({ renders: resumed }, 'going on with renders of before');
  bot.recovery.notifyAll();
  if (interrupted > 0) log.info({ jobs: interrupted }, 'ending what was interrupted');
}

/** The folder beside an SQLite file where the bot keeps what does not belong into a database. */
function dataFolder(databaseUrl: string): string {
  const file = databaseUrl.slice('sqlite:'.length);
  return file === ':memory:' ? join(tmpdir(), `troupe-${process.pid}`) : dirname(file);
}

/** Folders beside the database. */
const dataFolders = ['spool', 'console-files', 'sandbox'];

interface PlatformDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  readonly bot: Bot;
  readonly app: Hono;
  readonly data: string;
}

/** Starts what has credentials; each platform's library is loaded only then. */
async function startPlatforms(
  dependencies: PlatformDependencies,
): Promise<ReadonlyMap<PlatformName, Platform>> {
  const platforms = new Map<PlatformName, Platform>();
  const add = (platform: Platform) => {
    platforms.set(platform.adapter.platform, platform);
    dependencies.bot.addPlatform(platform);
  };
  if (consoleOn(dependencies.config)) add(await startConsole(dependencies));
  const { SLACK_BOT_TOKEN, SLACK_CLIENT_ID } = dependencies.config;
  if (SLACK_BOT_TOKEN !== undefined || SLACK_CLIENT_ID !== undefined) add(await startSlack(dependencies));
  if (dependencies.config.DISCORD_TOKEN !== undefined)
    add(await startDiscord(dependencies, dependencies.config.DISCORD_TOKEN));
  return platforms;
}

async function startConsole({
  config,
  log,
  database,
  bot,
  app,
  data,
}: PlatformDependencies): Promise<Platform> {
  const { createConsole } = await import('../platforms/console/index.ts');
  const console = await createConsole({
    dispatcher: bot.dispatcher,
    database,
    filesFolder: join(data, 'console-files'),
    clock: systemClock,
    log,
    ...(config.CONSOLE_TOKEN !== undefined && { token: config.CONSOLE_TOKEN }),
  });
  app.route('/', console.routes);
  return console;
}

async function startDiscord(
  { config, log, database, bot }: PlatformDependencies,
  token: string,
): Promise<Platform> {
  const discord = await import('../platforms/discord/index.ts');
  return discord.startDiscord({
    token,
    apiUrl: config.DISCORD_API_URL,
    shards: config.DISCORD_SHARDS,
    dispatcher: bot.dispatcher,
    records: openKeyv(database, 'discord'),
    capabilities: createCapabilities(database, 'discord', () => systemClock.now()),
    clock: systemClock,
    log,
    isOperator: async (person) =>
      (await bot.operators.on('discord')).some((operator) => operator.person === person),
    ...(config.ALLOWED_GUILDS !== undefined && { allowedGuilds: config.ALLOWED_GUILDS }),
    ...(config.DISCORD_GUILD_ID !== undefined && { guildId: config.DISCORD_GUILD_ID }),
  });
}

async function startSlack({ config, log, database, bot, app }: PlatformDependencies): Promise<Platform> {
  const { createSlack } = await import('../platforms/slack/index.ts');
  const { dispatcher } = bot;
  const vault = vaultOf(config.DATABASE_URL, config.ENCRYPTION_KEY);
  const slack = await createSlack({ dispatcher, database, vault, clock: systemClock, log, settings: config });
  app.route('/', slack.routes);
  return slack;
}

interface Work {
  readonly bot: Bot;
  readonly database: Database;
  readonly databaseFile: ReturnType<typeof databaseFileWatch>;
}

function readiness({
  database,
  databaseFile,
  platforms,
  bot: { keyWatch, localFaults: troubles },
}: Work & {
  readonly platforms: ReadonlyMap<PlatformName, Platform>;
}): Readonly<Record<string, Readiness>> {
  const takesWrites = writeProbe(database, systemClock);
  const ofPlatforms = [...platforms].map(([name, platform]): [string, Readiness] => [
    name,
    async () => platform.notReady(),
  ]);
  return {
    ...Object.fromEntries(ofPlatforms),
    service: async () => keyWatch.notReady(),
    work: async () => troubles.notReady(),
    database: async () => (await databaseFile()) ?? takesWrites(),
  };
}

/** Every hour: whether the database's file is still there, the voices that can be typed, and the records nobody needs any more. */
function keepUp({ bot, database, databaseFile, log }: Work & { readonly log: Log }): () => void {
  const stop = new AbortController();
  const attempt = (work: Promise<unknown>, failure: string) =>
    work.catch((error: unknown) => {
      if (!stop.signal.aborted) log.warn({ error }, failure);
    });
  const lookAtFile = async () => {
    const fault = await databaseFile();
    if (fault !== undefined) log.error({}, fault);
  };
  const upkeep = () => {
    void lookAtFile();
    void attempt(bot.suggestions.refresh(stop.signal), 'the list of voices could not be read');
    void attempt(sweep(database, systemClock.now()), 'old records could not be forgotten');
    void attempt(bot.sweepFiles(), 'files that nobody needs could not be deleted');
  };
  upkeep();
  const timer = setInterval(upkeep, upkeepSpacing).unref();
  return () => {
    clearInterval(timer);
    stop.abort();
  };
}

function welcome(url: string, platforms: readonly PlatformName[], sandbox: boolean): string {
  const lines = [`troupe is ready: ${platforms.join(', ') || 'no platform'}`];
  if (platforms.includes('console')) lines.push(`Open ${url}`);
  if (sandbox) {
    lines.push(
      'The service is the sandbox inside: set SERVICE_BASE_URL and SERVICE_API_KEY for the real one.',
    );
  }
  return lines.join('\n');
}
