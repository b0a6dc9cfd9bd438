import { z } from 'zod';
import { asUrl, isWholePostgresUrl } from '../lib/database-url.ts';
import { apiKeyPattern, chatModels } from '../service-rules/models.ts';
import { knownVoices } from '../service-rules/voices.ts';

/** One setting: its schema, and its texts for documentation and errors. */
export interface Setting {
  readonly schema: z.ZodType;
  /** The allowed values in words, for errors and docs/configuration.md. */
  readonly allowed: string;
  /** Its meaning, for docs/configuration.md and .env.example; Markdown. */
  readonly meaning: string;
  /** The default in words, for docs/configuration.md. */
  readonly default: string;
}

const setting = <S extends z.ZodType>(schema: S, allowed: string, standard: string, meaning: string) => ({
  schema,
  allowed,
  meaning,
  default: standard,
});
const matching = (form: RegExp) => z.string().regex(form);
const address = z.string().refine((value) => ['https:', 'http:'].includes(URL.parse(value)?.protocol ?? ''));
/** Whether a URL has no user, query or fragment. */
function isPlainAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && url.username + url.password + url.search + url.hash === '';
}
/** Of what is sent in headers, which take nothing else, or compared with what is. */
const token = (begins = '') => matching(new RegExp(`^${begins}[!-~]+$`)).optional();
const pathOf = (value: string) => URL.parse(value)?.pathname;
/** Decimal digits only; JavaScript would also take a blank or `0x10` as a number. */
const number = matching(/^\d+(?:\.\d+)?$/).transform(Number);
const whole = (min: number, max: number, standard: number) =>
  number.pipe(z.number().int().min(min).max(max)).default(standard);
const count = (min: number, max: number, standard: number, meaning: string) =>
  setting(whole(min, max, standard), `a whole number from ${min} to ${max}`, `\`${standard}\``, meaning);
const mostCredits = 1e9;
const credits = (standard: number, meaning: string) =>
  setting(
    number.pipe(z.number().max(mostCredits)).default(standard),
    `0 to ${mostCredits}`,
    `\`${standard}\``,
    meaning,
  );
const budget = (whose: string) => credits(0, `Daily budget of ${whose}`);

/** A list of words separated by spaces, each matching `form`. */
const listOf = (form: RegExp) =>
  z
    .string()
    .transform((value) => value.trim().split(/\s+/))
    .pipe(z.array(matching(form)));

/** `discord:ID`, or `slack:TEAM/USER`. */
function operatorOf(entry: string) {
  const [, platform, workspace = '', person = ''] = /^(discord|slack):(?:([^/]+)\/)?(.+)$/.exec(entry) ?? [];
  return { platform: platform === 'slack' ? ('slack' as const) : ('discord' as const), workspace, person };
}

/** Every setting, by the name of its environment variable. */
export const settings = {
  SERVICE_BASE_URL: setting(
    address
      .refine((value) => isPlainAddress(value) && value.endsWith('/v1') && pathOf(value) !== '/')
      .optional(),
    'an http(s) address that ends with /v1',
    'the embedded sandbox',
    'Address of the service',
  ),
  SERVICE_API_KEY: setting(
    z.string().regex(apiKeyPattern).optional(),
    'sk-svc-…',
    'the sandbox’s own key',
    'Its key; required with `SERVICE_BASE_URL`',
  ),
  SERVICE_CHAT_MODEL: setting(
    z.enum(chatModels).default(chatModels[0]),
    chatModels.join(' or '),
    `\`${chatModels[0]}\``,
    'Model for `/ask`',
  ),
  SERVICE_VOICE: setting(
    matching(/^[A-Za-z0-9_-]{1,128}$/).default(knownVoices[0]?.id ?? ''),
    'the id of a voice: letters, digits, - and _',
    `\`${knownVoices[0]?.id}\``,
    'Voice for `/speak`',
  ),
  SYSTEM_PROMPT: setting(
    z
      .string()
      .min(1)
      .max(20_000)
      .default(
        'You are troupe, an assistant in a group chat. Answer in the language of the question, in Markdown, and as briefly as the question allows.',
      ),
    '1 to 20,000 characters',
    'a short neutral one',
    'First message of every conversation',
  ),
  HISTORY_TOKENS: count(100, 1_000_000, 16_000, 'History in one chat request, in estimated tokens'),
  HISTORY_DAYS: count(1, 3650, 30, 'Days after which an unused conversation is forgotten'),
  DISCORD_TOKEN: setting(
    // Not the application's id.
    token('(?!\\d+$)'),
    'a bot token',
    'unset: Discord off',
    'Token of the bot',
  ),
  DISCORD_GUILD_ID: setting(
    matching(/^\d{15,20}$/).optional(),
    'the id of a server: 15 to 20 digits',
    'unset: every server',
    'Registers commands only in this server, for development',
  ),
  DISCORD_API_URL: setting(
    // The version follows it.
    address.transform((root) => root.replace(/\/v\d+\/?$/, '')).default('https://discord.com/api'),
    'an http(s) address',
    '`https://discord.com/api`',
    'Root of Discord’s REST API',
  ),
  DISCORD_SHARDS: setting(
    z
      .string()
      .transform((text, context) => {
        const shards = parseShards(text);
        if (shards === undefined) context.addIssue({ code: 'custom' });
        return shards ?? z.NEVER;
      })
      .default('auto'),
    'auto, a count, or FIRST-LAST/TOTAL such as 0-3/16',
    '`auto`',
    'Shards, or this process’s slice; 0: only interactions over HTTP',
  ),
  DISCORD_PUBLIC_KEY: setting(
    matching(/^[0-9a-f]{64}$/i).optional(),
    'the application’s public key: 64 hexadecimal digits',
    'unset: interactions over the gateway',
    'Discord’s interactions over HTTP, at `/discord/interactions`',
  ),
  DISCORD_MESSAGE_CONTENT: setting(
    z.enum(['on', 'off']).default('off'),
    'on or off',
    '`off`',
    'The message content intent: the bot’s own threads need no mention',
  ),
  SLACK_BOT_TOKEN: setting(
    token('xoxb-'),
    'xoxb-…, without token rotation',
    'unset: Slack off',
    'Bot token of one workspace',
  ),
  SLACK_APP_TOKEN: setting(token('xapp-'), 'xapp-…', 'unset', 'App-level token, for Socket Mode'),
  SLACK_SIGNING_SECRET: setting(
    token(),
    'the app’s signing secret',
    'unset',
    'For events over HTTP, on `PORT` at `/slack/events`',
  ),
  SLACK_CLIENT_ID: setting(
    token(),
    'the app’s client id',
    'unset',
    'For many workspaces, which install it at `/slack/install`',
  ),
  SLACK_CLIENT_SECRET: setting(token(), 'the app’s client secret', 'unset', 'With `SLACK_CLIENT_ID`'),
  SLACK_STATE_SECRET: setting(
    matching(/^\S{8,}$/).optional(),
    'a secret of your own, 8 characters or more',
    'unset',
    'With `SLACK_CLIENT_ID`: signs the state of an installation',
  ),
  SLACK_OUTSIDERS: setting(
    z.enum(['choose', 'on', 'off']).default('choose'),
    'choose, on or off',
    '`choose`',
    'Whether guests and people from other organizations can spend credits: if an administrator says so, unless one says no, or never',
  ),
  SLACK_COMMAND_PREFIX: setting(
    matching(/^[a-z0-9_-]{0,20}$/).default(''),
    'up to 20 lower-case letters, digits, - and _',
    'empty',
    'Prefix of every slash command: `acme-` makes `/acme-ask`',
  ),
  SLACK_API_URL: setting(
    address.default('https://slack.com/api/'),
    'an http(s) address',
    '`https://slack.com/api/`',
    'Root of Slack’s Web API',
  ),
  DATABASE_URL: setting(
    z
      .string()
      .transform(asUrl)
      .refine((url) => /^sqlite:.+$/.test(url) || isWholePostgresUrl(url))
      .default('sqlite:data/troupe.db'),
    'sqlite:FILE or postgres://USER:PASSWORD@HOST/DATABASE',
    '`sqlite:data/troupe.db`',
    'A file for one process, PostgreSQL (13 or newer) for several; `?connect_timeout=SECONDS`: 2 by default, 0 for no limit',
  ),
  PORT: setting(
    whole(0, 65_535, 8787),
    'a port from 0 to 65535 (0: any free one)',
    '`8787`',
    'Port for everything over HTTP',
  ),
  HOST: setting(
    matching(/^[A-Za-z0-9.:_-]+$/).default('127.0.0.1'),
    'an address or a host name',
    '`127.0.0.1`',
    'Address it listens on; `0.0.0.0` in the container',
  ),
  CONSOLE: setting(
    z.enum(['on', 'off']).optional(),
    'on or off',
    '`on` while no platform is configured, else `off`',
    'The console page',
  ),
  CONSOLE_TOKEN: setting(
    matching(/^\S.{6,}\S$/s).optional(),
    '8 characters or more',
    'unset',
    'Opens the console and its control room; required if `HOST` isn’t loopback, or if Slack or Discord reach it over HTTP',
  ),
  METRICS_TOKEN: setting(
    matching(/^[!-~]{8,}$/).optional(),
    '8 or more letters, digits, punctuation marks',
    'unset: loopback only',
    'Bearer token for `/metrics` and the details of `/readyz`',
  ),
  MODERATION_URL: setting(
    address.optional(),
    'an http(s) address',
    'unset: off',
    'Moderation endpoint of OpenAI’s shape, such as `https://api.openai.com/v1/moderations`: checks prompts, texts and quotes before anything is spent, and answers before they’re shown; without a verdict, nothing is done or shown',
  ),
  MODERATION_API_KEY: setting(token(), 'a key', 'unset', 'Its bearer token'),
  PRIVACY_URL: setting(
    address.optional(),
    'the address of a page',
    'unset',
    'Your privacy policy, linked by `/privacy`',
  ),
  TERMS_URL: setting(
    address.optional(),
    'the address of a page',
    'unset',
    'Your terms of service, linked by `/privacy`',
  ),
  USER_DAILY_CREDITS: budget('a person'),
  CHANNEL_DAILY_CREDITS: budget('a channel'),
  WORKSPACE_DAILY_CREDITS: budget('a workspace'),
  TOTAL_DAILY_CREDITS: budget('the whole bot'),
  CONFIRM_OVER_CREDITS: credits(500, 'Requests above this need a confirmation'),
  COOLDOWN_SECONDS: count(0, 86_400, 0, 'Wait until a person can use the same paid command again'),
  RENDERS_PER_PERSON: count(
    1,
    1_000,
    4,
    'Image and video commands that a person can have under way in a channel',
  ),
  RESULT_HOSTS: setting(
    listOf(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/).default([]),
    'HOST or HOST:PORT, separated by spaces',
    'unset',
    'Hosts in your own network that may serve results',
  ),
  OPERATORS: setting(
    listOf(/^(?:discord:\d{15,20}|slack:[TE][A-Z0-9]+\/[UW][A-Z0-9]+)$/)
      .transform((entries) => entries.map(operatorOf))
      .optional(),
    'discord:ID and slack:TEAM/USER, separated by spaces',
    'the Discord application’s owner or team, the Slack app’s installer',
    'Who is notified about problems with the key or account',
  ),
  ENCRYPTION_KEY: setting(
    z.string().min(32).optional(),
    '32 characters or more',
    'a key file next to the SQLite database',
    'Encrypts the tokens of Slack installations',
  ),
  ALLOWED_GUILDS: setting(
    listOf(/^\d{15,20}$/).optional(),
    'ids of servers, separated by spaces',
    'unset: everywhere',
    'Discord servers it runs in; it leaves others, and only operators can write direct messages',
  ),
  ALLOWED_TEAMS: setting(
    listOf(/^[TE][A-Z0-9]+$/).optional(),
    'ids of workspaces (T…) or organizations (E…), separated by spaces',
    'unset: everywhere',
    'Slack workspaces it runs in',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    address.refine(isPlainAddress).optional(),
    'an http(s) address without user, query and fragment',
    'unset: off',
    'Sends traces to this OpenTelemetry collector, at `/v1/traces` below the address',
  ),
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'trace, debug, info, warn, error, fatal or silent',
    '`info`',
    'Level of the log',
  ),
} as const satisfies Record<string, Setting>;

/** The shards that this process runs: as many as Discord recommends, some of a fixed total, or none. */
type Shards = 'auto' | { readonly ids: readonly number[]; readonly count: number };

/**
 * Reads `auto`, a count (0 for none), or a slice of the total such as `0-3/16`. Undefined if it's none of these, or if the slice
 * isn't part of the total.
 */
export function parseShards(text: string): Shards | undefined {
  if (text === 'auto') return 'auto';
  if (text === '0') return { ids: [], count: 0 };
  const match = /^(?:(\d{1,4})(?:-(\d{1,4}))?\/)?([1-9]\d{0,3})$/.exec(text);
  if (!match) return undefined;
  const count = Number(match[3]);
  const first = Number(match[1] ?? 0);
  const last = Number(match[2] ?? match[1] ?? count - 1);
  if (first > last || last >= count) return undefined;
  return { ids: Array.from({ length: last - first + 1 }, (_, index) => first + index), count };
}
