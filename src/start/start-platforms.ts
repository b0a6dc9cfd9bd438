import type { Hono } from 'hono';
import type { Bot } from '../app/bot.ts';
import { type Config, consoleOn } from '../config/config.ts';
import { contextTokens } from '../conversation/index.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import { vaultOf } from '../secrets/vault.ts';
import { createCapabilities, type Database, openKeyv } from '../store/index.ts';
import { consoleFilesFolder } from './data-folder.ts';

/** What platforms need to start. */
export interface PlatformDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  readonly bot: Bot;
  /** Gets the routes of platforms that receive over HTTP. */
  readonly app: Hono;
  /** Folder for files that don't belong in the database. */
  readonly dataFolder: string;
}

/** Starts every platform that is configured; the library of one that isn't is never loaded. */
export async function startPlatforms(
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
  dataFolder,
}: PlatformDependencies): Promise<Platform> {
  const { createConsole } = await import('../platforms/console/index.ts');
  const console = await createConsole({
    dispatcher: bot.dispatcher,
    database,
    filesFolder: consoleFilesFolder(dataFolder),
    contextTokens: contextTokens(config.HISTORY_TOKENS),
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
    messageContent: config.DISCORD_MESSAGE_CONTENT === 'on',
    dispatcher: bot.dispatcher,
    contextTokens: contextTokens(config.HISTORY_TOKENS),
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
  const { dispatcher, homePage, outcomes } = bot;
  const vault = vaultOf(config.DATABASE_URL, config.ENCRYPTION_KEY);
  const slack = await createSlack({
    ...{ dispatcher, homePage, outcomes, database, vault, clock: systemClock, log },
    settings: config,
  });
  app.route('/', slack.routes);
  return slack;
}
