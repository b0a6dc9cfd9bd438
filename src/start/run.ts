import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commands } from '../../commands/index.ts';
import { type Bot, type BotDependencies, createBot } from '../app/bot.ts';
import { Moderation } from '../app/policy/moderation.ts';
import { startUp } from '../app/start-up.ts';
import { type Config, ConfigError, configWarnings, isPublic, isSandboxInstalled } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { SharedTurns } from '../conversation/index.ts';
import { alone, type Coordination } from '../coordination/index.ts';
import { LogThrottle } from '../http/index.ts';
import { type Clock, systemClock, unlessAborted } from '../lib/clock.ts';
import { isPostgresUrl } from '../lib/database-url.ts';
import {
  createApp,
  createMetrics,
  healthRoutes,
  listen,
  type Log,
  noTracing,
  type Tracing,
} from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import type { ListeningSandbox } from '../sandbox/index.ts';
import { narrow, privateFolderMode } from '../secrets/private-files.ts';
import { ServiceClient, SharedRateWindows } from '../service/index.ts';
import {
  begunBefore,
  connectionSettings,
  type Database,
  databaseFiles,
  databaseFileWatch,
  DatabaseWatch,
  explained,
  fileKinds,
  folderFiles,
  isDurable,
  isOfDatabase,
  isPostgres,
  openDatabase,
  Processes,
  requireOpenFolders,
  sweep,
} from '../store/index.ts';
import {
  countDropped,
  readiness,
  readingsOfBuild,
  readingsOfDatabase,
  readingsOfProcess,
} from './readings.ts';
import { configuredPlatforms, startPlatforms } from './start-platforms.ts';

/**
 * A load balancer notices so soon that a process stops, in milliseconds: HAProxy looks three times, two seconds apart, if
 * nobody tells it otherwise, and Kubernetes is faster. Until then it sends requests here, too.
 */
const usuallyNoticedWithin = 6_000;

/** The running bot. */
export interface Running {
  /** Where its HTTP server can be reached. */
  readonly url: string;
  /** What to show the person who started it. */
  readonly welcome: string;
  /** Takes nothing more, ends or hands over what is under way, closes everything. */
  stop(): Promise<void>;
}

/** Dependencies of a run besides its configuration. */
export interface RunOptions {
  /** Once it's aborted, nothing a former process left is taken up any more: what `run` resolves with can be stopped at once. */
  readonly stopping?: AbortSignal;
  /** Called where other processes of the bot have taken this one's work over: it must end without another word. */
  readonly takenForDead?: () => void;
  readonly tracing?: Tracing;
  /** Other processes of the bot that are away for so long are taken for dead, in milliseconds; 8,000 by default. */
  readonly deadAfter?: number | undefined;
  /** How soon what stands before several processes notices that one stops, in milliseconds; 6,000 by default. */
  readonly noticedWithin?: number;
  /** After how many milliseconds without an answer people shouldn't wait for the database; 1,000 by default. */
  readonly silentAfter?: number | undefined;
  /** The machine's time unless a test moves its own. */
  readonly clock?: Clock;
}

/**
 * Starts everything that the configuration asks for.
 * @throws {DatabaseError} where the database cannot be used, whatever meets that first; the reason of `stopping` where that's
 * aborted while it waits for the database.
 */
export async function run(config: Config, log: Log, options: RunOptions = {}): Promise<Running> {
  try {
    return await start(config, log, options);
  } catch (error) {
    throw isOfDatabase(error) ? explained(error, config.DATABASE_URL) : error;
  }
}

async function start(
  config: Config,
  log: Log,
  {
    stopping = new AbortController().signal,
    takenForDead = () => {},
    tracing = noTracing,
    deadAfter,
    noticedWithin = usuallyNoticedWithin,
    silentAfter,
    clock = systemClock,
  }: RunOptions,
): Promise<Running> {
  const metrics = createMetrics(clock);
  const { meter } = metrics;
  const telemetry = { meter, tracer: tracing.tracer };
  countDropped(tracing, { clock, log, meter });
  const databaseWatch = new DatabaseWatch(meter, clock, silentAfter);
  const opened = openDatabase(config.DATABASE_URL, clock, databaseWatch, (blockers) =>
    log.warn({ blockers }, 'the tables are changed once these sessions let go of them; the bot starts then'),
  );
  const database = await unlessAborted(opened, stopping);
  if (!(await isDurable(database)))
    log.warn('PostgreSQL has fsync = off: a power cut can damage the whole database');
  const coordination = await coordinate(config.DATABASE_URL, database, { clock, log, deadAfter });
  const processes = new Processes(database);
  const databaseFile = databaseFileWatch(config.DATABASE_URL);
  const dataFolder = openDataFolder(config.DATABASE_URL);
  // Another process may have to post what this one has fetched.
  const files = isPostgres(database) ? databaseFiles(database) : folderFiles(dataFolder);
  const sandbox =
    config.SERVICE_BASE_URL === undefined ? await startEmbeddedSandbox(sandboxFolder(dataFolder)) : undefined;
  const { slots, signals } = coordination;
  const service = new ServiceClient({
    baseUrl: config.SERVICE_BASE_URL ?? sandbox?.url ?? '',
    apiKey: config.SERVICE_API_KEY ?? sandbox?.key ?? '',
    resultHosts: config.RESULT_HOSTS,
    // The key's limits count the calls of all processes.
    ...(slots && { windows: new SharedRateWindows({ slots, signals }, clock) }),
    clock,
    telemetry,
    log,
  });
  const begun = await begunBefore(database);
  const bot: Bot = createBot({
    commands,
    database,
    begunBefore: begun,
    ...(config.MODERATION_URL !== undefined && {
      moderation: new Moderation({ url: config.MODERATION_URL, apiKey: config.MODERATION_API_KEY, log }),
    }),
    coordination,
    ...(isPostgres(database) && { turns: new SharedTurns({ database, coordination, clock }) }),
    service,
    clock,
    log,
    files,
    telemetry,
    settings: botSettings(config),
  });

  let platforms: ReadonlyMap<PlatformName, Platform> = new Map();
  const startReceiving = async () => {
    const app = createApp(log);
    platforms = await startPlatforms({
      ...{ config, clock, log, database, coordination, bot, app, files, meter },
      begunBefore: begun,
    });
    const viewers = { token: config.METRICS_TOKEN, isPublic: isPublic(config) };
    const checks = readiness({ bot, clock, database, databaseFile, platforms, stopping });
    app.route('/', healthRoutes(checks, metrics, viewers));
    metrics.read(readingsOfProcess(bot, service, platforms));
    metrics.read(readingsOfDatabase(database, clock));
    metrics.read(readingsOfBuild(databaseWatch, isPostgres(database) ? 'postgresql' : 'sqlite'));
    return listen(app, config.PORT, config.HOST);
  };
  const configured = configuredPlatforms(config);
  const { started: server, end } = await startUp({
    ...{ bot, processes, coordination, startReceiving, takenForDead, stopping, clock, log },
    configured,
    platforms: () => platforms.values(),
  });
  const historyDays = config.HISTORY_DAYS;
  const databaseFault = async () =>
    (await databaseFile()) ?? (databaseWatch.fault && `the database: ${databaseWatch.fault}`);
  const stopUpkeep = startUpkeep({ bot, clock, database, databaseFault, historyDays, log });
  for (const { found, fix } of configWarnings(config)) log.warn({}, `${found}: ${fix}`);
  if (!stopping.aborted)
    log.info({ url: server.url, platforms: [...platforms.keys()], process: coordination.process }, 'ready');

  return {
    url: server.url,
    welcome: welcome(server.url, [...platforms.keys()], sandbox !== undefined),
    async stop() {
      const begun = clock.steady();
      stopUpkeep();
      const all = [...platforms.values()];
      const stopReceiving = () => Promise.all(all.map((one) => one.stopReceiving()));
      // Where others receive the same, people who come meanwhile are answered there. Otherwise platforms receive until
      // the end, so that they are told to come again instead of getting silence.
      const others = processes.othersReceive(coordination.process, configured);
      const isCovered = await others.catch(() => false);
      if (isCovered) {
        for (const one of all) one.leaveToOthers?.();
        if (isPublic(config)) await server.leave(noticedWithin);
        await stopReceiving();
      }
      await bot.close(clock.steady() - begun);
      await end().catch((error: unknown) =>
        log.warn({ error }, 'other processes find this one dead instead'),
      );
      if (!isCovered) await server.leave(0);
      await stopReceiving();
      await Promise.all(all.map((platform) => platform.close()));
      await server.close();
      await service.close();
      await sandbox?.close();
      await coordination.close();
      await database.destroy();
      await tracing.close();
    },
  };
}

/** With PostgreSQL there may be other processes. */
async function coordinate(
  databaseUrl: string,
  database: Database,
  options: { readonly clock: Clock; readonly log: Log; readonly deadAfter: number | undefined },
): Promise<Coordination> {
  if (!isPostgres(database)) return alone();
  const { coordinateOverPostgres } = await import('../coordination/postgres.ts');
  return coordinateOverPostgres({ settings: connectionSettings(databaseUrl), database, ...options });
}

function botSettings(config: Config): BotDependencies['settings'] {
  return {
    operators: config.OPERATORS ?? [],
    chatModel: config.SERVICE_CHAT_MODEL,
    voice: config.SERVICE_VOICE,
    systemPrompt: config.SYSTEM_PROMPT,
    historyTokens: config.HISTORY_TOKENS,
    historyDays: config.HISTORY_DAYS,
    policies: { privacy: config.PRIVACY_URL, terms: config.TERMS_URL },
    budgets: {
      user: config.USER_DAILY_CREDITS,
      channel: config.CHANNEL_DAILY_CREDITS,
      workspace: config.WORKSPACE_DAILY_CREDITS,
      total: config.TOTAL_DAILY_CREDITS,
    },
    rendersPerPerson: config.RENDERS_PER_PERSON,
    outsiders: config.SLACK_OUTSIDERS,
    cooldown: config.COOLDOWN_SECONDS,
    confirmOver: config.CONFIRM_OVER_CREDITS,
  };
}

function welcome(url: string, platforms: readonly PlatformName[], sandbox: boolean): string {
  const lines = [`troupe is ready: ${platforms.join(', ') || 'no platform'}`];
  if (platforms.includes('console')) lines.push(`Open ${url}`);
  if (sandbox) {
    lines.push(
      'It uses the embedded sandbox. Set SERVICE_BASE_URL and SERVICE_API_KEY to use the real service.',
    );
  }
  return lines.join('\n');
}

/** Where the embedded sandbox keeps its tasks and results. */
const sandboxFolder = (dataFolder: string) => join(dataFolder, 'sandbox');

/**
 * The folder of the SQLite file, where the bot keeps what does not belong in a database; a temporary one where the
 * database is in memory, or PostgreSQL's, which holds everything itself. Closes its folders to other users: a former
 * version left them open.
 * @throws {DatabaseError} where nothing can be kept in one of them.
 */
function openDataFolder(databaseUrl: string): string {
  const file = databaseUrl.slice('sqlite:'.length);
  const isElsewhere = isPostgresUrl(databaseUrl);
  const isNone = file === ':memory:' || isElsewhere;
  const folder = isNone ? join(tmpdir(), `troupe-${process.pid}`) : dirname(file);
  if (isElsewhere) return folder;
  requireOpenFolders(folder);
  for (const kind of fileKinds) narrow(join(folder, kind), privateFolderMode);
  narrow(sandboxFolder(folder), privateFolderMode);
  return folder;
}

/**
 * Starts the stand-in for the service inside this process; its tasks and their results are kept in the folder.
 * @throws {ConfigError} where it is not installed.
 */
async function startEmbeddedSandbox(folder: string): Promise<ListeningSandbox> {
  if (!isSandboxInstalled()) {
    const { allowed } = settings.SERVICE_BASE_URL;
    throw new ConfigError([
      `SERVICE_BASE_URL: missing; it is required where the sandbox is not installed; allowed: ${allowed}`,
    ]);
  }
  const { createSandbox } = await import('../sandbox/index.ts');
  return createSandbox({ folder }).listen();
}

/** Between two rounds of upkeep, in milliseconds. */
const spacing = 3_600_000;

/** Between two looks for questions that nobody has answered in time, and at the database's file, in milliseconds. */
export const questionsSpacing = 60_000;

/** What upkeep looks after. */
interface Upkeep {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly database: Database;
  /** Why what is written now may be lost, in words for the operator; undefined if nothing is wrong. */
  readonly databaseFault: () => Promise<string | undefined>;
  /** Days after which an unused conversation is forgotten. */
  readonly historyDays: number;
  readonly log: Log;
}

/**
 * At once and every hour reads the list of voices for suggestions, and deletes records and files that nothing needs any more;
 * every minute ends questions that nobody answered, and checks the database's file and disk. Returns what stops it.
 */
function startUpkeep({ bot, clock, database, databaseFault, historyDays, log }: Upkeep): () => void {
  const stop = new AbortController();
  const attempt = (work: Promise<unknown>, failure: string) =>
    work.catch((error: unknown) => {
      if (!stop.signal.aborted) log.warn({ error }, failure);
    });
  // It's said again every hour.
  const faults = new LogThrottle(clock, spacing);
  const checkDatabase = async () => {
    const fault = await databaseFault();
    if (fault !== undefined) faults.note(() => log.error({}, fault));
  };
  const upkeep = () => {
    void attempt(bot.voiceList.refresh(stop.signal), 'the list of voices could not be read');
    void attempt(sweep(database, clock.now(), historyDays), 'old records could not be deleted');
    void attempt(bot.lookAtSpending(), 'nobody could be told how much was spent');
    void attempt(bot.lookAtAudit(), 'audit channels could not be told what happened');
    void attempt(bot.erase(), 'what people asked to be deleted could not be');
    void attempt(bot.sweepFiles(), 'files that nothing needs could not be deleted');
  };
  const look = () => {
    void checkDatabase();
    void attempt(bot.endUnanswered(), 'questions that nobody answered could not be ended');
  };
  upkeep();
  look();
  const timers = [setInterval(upkeep, spacing).unref(), setInterval(look, questionsSpacing).unref()];
  return () => {
    for (const timer of timers) clearInterval(timer);
    stop.abort();
  };
}
