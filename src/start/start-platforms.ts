import type { Hono } from 'hono';
import type { Bot } from '../app/bot.ts';
import { type Config, consoleOn } from '../config/config.ts';
import { contextTokens } from '../conversation/index.ts';
import type { Coordination } from '../coordination/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Meter } from '../lib/telemetry.ts';
import type { Log } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import { vaultOf } from '../secrets/vault.ts';
import type { BegunBefore, Database, FileStores } from '../store/index.ts';

/** Dependencies of platforms. */
export interface PlatformDependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  readonly begunBefore: BegunBefore;
  readonly coordination: Coordination;
  readonly bot: Bot;
  /** Gets the routes of platforms that receive over HTTP. */
  readonly app: Hono;
  readonly files: FileStores;
  readonly meter: Meter;
}

/** The platforms that are configured, and what of each this process receives: with Discord, its shards. */
export function configuredPlatforms(config: Config): ReadonlyMap<PlatformName, string> {
  const { SLACK_BOT_TOKEN, SLACK_CLIENT_ID, DISCORD_TOKEN, DISCORD_SHARDS } = config;
  const platforms = new Map<PlatformName, string>();
  if (consoleOn(config)) platforms.set('console', 'all');
  if (SLACK_BOT_TOKEN !== undefined || SLACK_CLIENT_ID !== undefined) platforms.set('slack', 'all');
  if (DISCORD_TOKEN !== undefined) platforms.set('discord', JSON.stringify(DISCORD_SHARDS));
  return platforms;
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
  const configured = configuredPlatforms(dependencies.config);
  if (configured.has('console')) add(await startConsole(dependencies));
  if (configured.has('slack')) add(await startSlack(dependencies));
  if (dependencies.config.DISCORD_TOKEN !== undefined)
    add(await startDiscord(dependencies, dependencies.config.DISCORD_TOKEN));
  return platforms;
}

async function startConsole({ config, bot, app, files, ...shared }: PlatformDependencies): Promise<Platform> {
  const { createConsole } = await import('../platforms/console/start.ts');
  const console = await createConsole({
    ...shared,
    dispatcher: bot.dispatcher,
    files: files('console-files'),
    contextTokens: contextTokens(config.HISTORY_TOKENS),
    ...(config.CONSOLE_TOKEN !== undefined && { token: config.CONSOLE_TOKEN, controlRoom: bot.controlRoom }),
  });
  app.route('/', console.routes);
  return console;
}

async function startDiscord(
  { config, bot, app, ...shared }: PlatformDependencies,
  token: string,
): Promise<Platform> {
  const discord = await import('../platforms/discord/start.ts');
  const platform = discord.startDiscord({
    ...shared,
    token,
    apiUrl: config.DISCORD_API_URL,
    shards: config.DISCORD_SHARDS,
    ...(config.DISCORD_PUBLIC_KEY !== undefined && { publicKey: config.DISCORD_PUBLIC_KEY }),
    messageContent: config.DISCORD_MESSAGE_CONTENT === 'on',
    dispatcher: bot.dispatcher,
    places: bot.places,
    contextTokens: contextTokens(config.HISTORY_TOKENS),
    isOperator: async (person) =>
      (await bot.operators.on('discord')).some((operator) => operator.person === person),
    ...(config.ALLOWED_GUILDS !== undefined && { allowedGuilds: config.ALLOWED_GUILDS }),
    ...(config.DISCORD_GUILD_ID !== undefined && { guildId: config.DISCORD_GUILD_ID }),
  });
  if (platform.routes) app.route('/', platform.routes);
  return platform;
}

async function startSlack({ config, bot, app, ...shared }: PlatformDependencies): Promise<Platform> {
  const { createSlack } = await import('../platforms/slack/start.ts');
  const { dispatcher, homePage, outcomes, places } = bot;
  const vault = vaultOf(config.DATABASE_URL, config.ENCRYPTION_KEY);
  const slack = await createSlack({
    ...shared,
    ...{ dispatcher, homePage, outcomes, places, vault },
    settings: config,
  });
  app.route('/', slack.routes);
  return slack;
}
