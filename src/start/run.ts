import { commands } from '../../commands/index.ts';
import { type Bot, type BotDependencies, createBot } from '../app/bot.ts';
import { startUp } from '../app/start-up.ts';
import { type Config, configWarnings, isPublic } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { createApp, createMetrics, healthRoutes, type Log, listen } from '../ops/index.ts';
import type { PlatformName } from '../port/index.ts';
import { ServiceClient } from '../service/index.ts';
import { databaseFileWatch, explained, isOfDatabase, openDatabase } from '../store/index.ts';
import { openDataFolder, sandboxFolder, spoolFolder } from './data-folder.ts';
import { startEmbeddedSandbox } from './embedded-sandbox.ts';
import { readiness } from './readiness.ts';
import { startPlatforms } from './start-platforms.ts';
import { startUpkeep } from './upkeep.ts';

/** The running bot. */
export interface Running {
  /** Where its HTTP server can be reached. */
  readonly url: string;
  /** What to show the person who started it. */
  readonly welcome: string;
  /** Takes nothing more, ends or hands over what is under way, closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts everything that the configuration asks for. Once `stopping` is aborted nothing a former process left is taken
 * up any more: what this resolves with can be stopped at once.
 * @throws {DatabaseError} where the database cannot be used, whatever meets that first.
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
  const database = await openDatabase(config.DATABASE_URL);
  const databaseFile = databaseFileWatch(config.DATABASE_URL);
  const dataFolder = openDataFolder(config.DATABASE_URL);
  const sandbox =
    config.SERVICE_BASE_URL === undefined ? await startEmbeddedSandbox(sandboxFolder(dataFolder)) : undefined;
  const service = new ServiceClient({
    baseUrl: config.SERVICE_BASE_URL ?? sandbox?.url ?? '',
    apiKey: config.SERVICE_API_KEY ?? sandbox?.key ?? '',
    resultHosts: config.RESULT_HOSTS,
    clock,
    log: (level, event, fields) => log[level](fields, `service: ${event}`),
  });
  const metrics = createMetrics((): number => bot.renders.outstanding);
  const bot: Bot = createBot({
    commands,
    database,
    service,
    clock,
    log,
    spoolFolder: spoolFolder(dataFolder),
    onCommandEnd: metrics.countCommand,
    settings: botSettings(config),
  });

  const startReceiving = async () => {
    const app = createApp(log);
    const platforms = await startPlatforms({ config, log, database, bot, app, dataFolder });
    const viewers = { token: config.METRICS_TOKEN, isPublic: isPublic(config) };
    app.route('/', healthRoutes(readiness({ bot, database, databaseFile, platforms }), metrics, viewers));
    return { platforms, server: await listen(app, config.PORT, config.HOST) };
  };
  const { platforms, server } = await startUp(bot, { startReceiving, stopping, log });
  const stopUpkeep = startUpkeep({ bot, database, databaseFile, log });
  for (const { found, fix } of configWarnings(config)) log.warn({}, `${found}: ${fix}`);
  if (!stopping.aborted) log.info({ url: server.url, platforms: [...platforms.keys()] }, 'ready');

  return {
    url: server.url,
    welcome: welcome(server.url, [...platforms.keys()], sandbox !== undefined),
    async stop() {
      stopUpkeep();
      // Platforms receive until the end, so that people who come meanwhile get an answer instead of silence.
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

function botSettings(config: Config): BotDependencies['settings'] {
  return {
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
