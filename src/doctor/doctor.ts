import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  type Config,
  ConfigError,
  configWarnings,
  consoleOn,
  type Environment,
  isSandboxInstalled,
  readConfig,
} from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { countLiving } from '../coordination/postgres.ts';
import { isPostgresUrl, shownUrl } from '../lib/database-url.ts';
import { DamagedError, Vault, VaultError, vaultOf } from '../secrets/vault.ts';
import { knownVoices } from '../service-rules/voices.ts';
import {
  AuthenticationError,
  BadResponseError,
  ConnectionError,
  CreditError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceClient,
  ServiceError,
  TimeoutError,
  type Voice,
} from '../service/index.ts';
import {
  DatabaseError,
  inspectDatabase,
  inspectPostgres,
  isDiskFull,
  lookInto,
  type PostgresState,
  type StoredValue,
  storedValues,
  unusable,
} from '../store/index.ts';
import { capitalized, caution, type Finding, fine, patience, wrong } from './finding.ts';

/**
 * Looks at everything the bot would use: settings, service, database, address, Discord and Slack. Costs nothing,
 * posts nothing, changes nothing; takes ten seconds at most, or twenty where one answer leads to another.
 * The environment may come from another file than `.env` next to package.json. `withListing`: also what Discord asks of verified
 * bots, and Slack of apps in its Marketplace.
 */
export async function diagnose(
  environment: Environment,
  { file, withListing = false }: { readonly file?: string; readonly withListing?: boolean } = {},
): Promise<Finding[]> {
  try {
    const config = readConfig(environment);
    const findings = await Promise.all([
      ...[checkService, checkDatabase, checkAddress].map((check) => check(config)),
      ...[checkDiscord, checkSlack].map((check) => check(config, withListing)),
    ]);
    const unsafe = configWarnings(config, file, environment).map(({ subject, found, fix }) =>
      caution(subject, `${capitalized(found)}.`, fix),
    );
    return [settingsFound(environment), ...unsafe, ...findings.flat(), ...reachable(config)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'correct it in the environment or in .env; the rest is checked once all settings are valid';
    return error.faults.map((fault) => wrong('settings', fault, mend));
  }
}

function settingsFound(environment: Environment): Finding {
  const names = Object.keys(settings).filter((name) => environment[name]);
  return fine(
    'settings',
    names.length > 0
      ? `These are set, and valid: ${names.join(', ')}.`
      : 'None are set, and none have to be: troupe uses the embedded sandbox, an SQLite file and the console.',
  );
}

/** A bot that nobody can speak to is of no use. */
function reachable(config: Config): Finding[] {
  const { DISCORD_TOKEN, SLACK_BOT_TOKEN, SLACK_CLIENT_ID } = config;
  if (DISCORD_TOKEN || SLACK_BOT_TOKEN || SLACK_CLIENT_ID || consoleOn(config)) return [];
  const mend = 'set DISCORD_TOKEN or SLACK_BOT_TOKEN, or leave CONSOLE unset';
  return [wrong('platforms', 'Discord, Slack and the console are all off: nobody can use the bot.', mend)];
}

/** The libraries are large, so each is loaded only where there’s a token for it. */
async function checkDiscord(config: Config, withListing: boolean): Promise<Finding[]> {
  const { DISCORD_TOKEN: token } = config;
  if (token === undefined) return [fine('Discord', 'Off, because DISCORD_TOKEN isn’t set.')];
  return (await import('./discord.ts')).checkDiscord(token, config, withListing);
}

async function checkSlack(config: Config, withListing: boolean): Promise<Finding[]> {
  if (config.SLACK_BOT_TOKEN === undefined && config.SLACK_CLIENT_ID === undefined)
    return [fine('Slack', 'Off, because SLACK_BOT_TOKEN isn’t set.')];
  return (await import('./slack.ts')).checkSlack(config, withListing);
}

/** Checks whether the bot's HTTP server can listen at `HOST` and `PORT`. */
async function checkAddress(config: Config): Promise<Finding[]> {
  const { HOST: host, PORT: port } = config;
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const page = `The console is ${consoleOn(config) ? 'on' : 'off'}.`;
  const fault = await faultOfListening(host, port);
  if (fault === undefined)
    return [
      fine(
        'address',
        `The bot can listen ${port === 0 ? `on any free port of ${host}` : `at ${at}`}. ${page}`,
      ),
    ];
  if (fault === 'EADDRINUSE' && (await isBot(at)))
    return [fine('address', `A bot is already running at ${at}. ${page}`)];
  return [wrong('address', ...explained(fault, at, host))];
}

/** The fault, and how to mend it, by the system's code. */
function explained(fault: string, at: string, host: string): [found: string, mend: string] {
  const elsewhere = 'set PORT and HOST to a port and an address of this machine';
  switch (fault) {
    case 'EADDRINUSE':
      return [`Another program is using ${at}.`, 'set PORT to a free port, or stop that program'];
    case 'EACCES':
      return [`This user isn’t allowed to listen at ${at}.`, 'set PORT to 1024 or higher'];
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return [`HOST, ${host}, isn’t an address of this machine.`, elsewhere];
    default:
      return [`The bot can’t listen at ${at} (${fault}).`, elsewhere];
  }
}

/** The system's code for why nothing can listen there. */
async function faultOfListening(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  } finally {
    server.close();
  }
}

async function isBot(at: string): Promise<boolean> {
  try {
    const answer = await fetch(`${at}/healthz`, { signal: AbortSignal.timeout(patience) });
    return answer.ok && (await answer.text()) === 'ok\n';
  } catch {
    return false;
  }
}

/** Asks for the voices, which costs nothing and shows whether the key is taken. */
async function checkService(config: Config): Promise<Finding[]> {
  const { SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: apiKey = '', SERVICE_VOICE: voice } = config;
  if (baseUrl === undefined) return [checkSandbox()];
  const client = new ServiceClient({
    baseUrl,
    apiKey,
    limits: { tries: 1 },
    timeouts: { read: patience },
  });
  try {
    const voices = await client.voices.list();
    const count = voices.length === 1 ? '1 voice' : `${voices.length} voices`;
    const key = fine('service', `${baseUrl} accepts SERVICE_API_KEY, and has ${count}.`);
    return [key, checkVoice(voices, voice)];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [wrong('service', `${baseUrl} ${wordsOf(error)}.`, mendOf(error))];
  } finally {
    await client.close();
  }
}

function checkSandbox(): Finding {
  if (isSandboxInstalled())
    return fine('service', 'SERVICE_BASE_URL isn’t set, so the bot uses the embedded sandbox.');
  return wrong(
    'service',
    'SERVICE_BASE_URL isn’t set, and the embedded sandbox isn’t installed.',
    'set SERVICE_BASE_URL and SERVICE_API_KEY, or install the development dependencies with npm ci',
  );
}

function checkVoice(voices: readonly Voice[], chosen: string): Finding {
  // The bot uses what the description names, too, until others are listed.
  const ids = (voices.length > 0 ? voices : knownVoices).map(({ id }) => id);
  if (ids.includes(chosen))
    return fine(
      'voice',
      voices.length > 0
        ? `The service has ${chosen}.`
        : 'The service lists no voices, so those of its description are used.',
    );
  const mend = `set SERVICE_VOICE to one of ${ids.slice(0, 20).join(', ')}`;
  return wrong('voice', `The service has no voice ${chosen}.`, mend);
}

function wordsOf(error: ServiceError): string {
  const { status, code } = error;
  if (error instanceof ConnectionError) return `can’t be reached (${code ?? 'no connection'})`;
  if (error instanceof TimeoutError) return `doesn’t answer within ${patience / 1_000} seconds`;
  if (error instanceof BadResponseError) return 'doesn’t answer with a list of voices';
  return status === undefined ? `can’t be asked (${error.message})` : `answers ${status}`;
}

function mendOf(error: ServiceError): string {
  if (error instanceof AuthenticationError) return 'set SERVICE_API_KEY to a valid key of this service';
  if (error instanceof PermissionError) return 'let SERVICE_API_KEY list voices, or use another key';
  if (error instanceof CreditError) return 'add credits to the account of this key';
  const isRedirect = error.status !== undefined && error.status >= 300 && error.status < 400;
  if (error instanceof NotFoundError || error instanceof BadResponseError || isRedirect)
    return 'check SERVICE_BASE_URL: the service isn’t at this address';
  if (error instanceof RateLimitError) return 'wait a minute: the key has reached its rate limit';
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return 'check SERVICE_BASE_URL and the connection to it (network, firewall, DNS)';
  return 'try again later; if it keeps failing, ask the people who run the service';
}

/** Looks at the database; nothing in it is changed afterwards. */
async function checkDatabase(config: Config): Promise<Finding[]> {
  const { DATABASE_URL: url } = config;
  try {
    if (isPostgresUrl(url)) return [...(await checkPostgres(url)), ...(await checkTokens(config))];
    const { exists, pending } = inspectDatabase(url);
    if (isDiskFull(url)) throw unusable(url, 'full');
    if (!exists) return [fine('database', `${url} will be created at the first start.`)];
    return [fine('database', `${url} is in good order.${later(pending)}`), ...(await checkTokens(config))];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [wrong('database', error.message, 'fix that, or set DATABASE_URL to another database')];
  }
}

function later(pending: number): string {
  if (pending === 0) return '';
  return ` ${pending === 1 ? '1 table change' : `${pending} table changes`} will be made at the next start.`;
}

async function checkPostgres(url: string): Promise<Finding[]> {
  return lookInto(url, async (database) => {
    const state = await inspectPostgres(database, url);
    const living = await countLiving(database);
    const running = living === 1 ? '1 process of the bot is' : `${living || 'No'} processes of the bot are`;
    const found = `${shownUrl(url)} is PostgreSQL ${state.version}. ${running} running on it.`;
    return [fine('database', `${found}${later(state.pending)}`), ...clockOf(state), ...durabilityOf(state)];
  });
}

/** How far the clocks may be apart, in milliseconds. */
const mostApart = 2_000;

/** This machine's clock decides about budgets, expiry and order; the server's decides about what processes compare. */
function clockOf({ ahead }: PostgresState): Finding[] {
  if (Math.abs(ahead) <= mostApart) return [];
  const seconds = (Math.abs(ahead) / 1_000).toFixed(1);
  const found = `This machine’s clock is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database server’s.`;
  return [caution('clock', found, 'set both by NTP')];
}

function durabilityOf({ isDurable }: PostgresState): Finding[] {
  if (isDurable) return [];
  const found = 'The database server doesn’t flush what it confirms to its disk (fsync = off).';
  return [caution('durability', found, 'set fsync = on: a power cut can damage the whole database')];
}

/** Whether the tokens of Slack installations can be opened. */
async function checkTokens({ DATABASE_URL: url, ENCRYPTION_KEY: secret }: Config): Promise<Finding[]> {
  const subject = 'tokens of installations';
  const tokens = (await storedValues(url, 'slack', 'installation ')).flatMap(sealedToken);
  if (tokens.length === 0) return [];
  const vault = vaultOf(url, secret);
  try {
    for (const { token, about } of tokens) vault.open(token, about);
    return [fine(subject, `${tokens.length} can be decrypted.`)];
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const mend =
      error instanceof DamagedError
        ? 'do one of these: the bot can’t answer there until then'
        : 'set the right key: the bot won’t start without it';
    return [wrong(subject, error.message, mend)];
  }
}

/** The sealed token of an installation, and what it is kept for, as `Installations` names it. */
function sealedToken({ key, value }: StoredValue) {
  const { token } = (value ?? {}) as { readonly token?: unknown };
  return typeof token === 'string' && Vault.isSealed(token) ? [{ about: `slack ${key}`, token }] : [];
}
