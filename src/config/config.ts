import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { isPostgresUrl } from '../lib/database-url.ts';
import { nearest } from '../lib/nearest.ts';
import { type Setting, settings } from './settings.ts';

type Settings = typeof settings;
/** The variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;
/** The values of all settings. */
export type Config = { readonly [Name in keyof Settings]: z.output<Settings[Name]['schema']> };

/** Wrong or missing settings, one line each; no line holds a value, which may be secret. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** The file of settings next to package.json, which needn't exist. */
const settingsFile = fileURLToPath(new URL('../../.env', import.meta.url));

/**
 * Reads `.env` next to package.json into the environment if it exists; variables that are already set win, and an empty one
 * counts as unset here, too: a budget that the file sets would be off.
 * @throws {ConfigError} if it can't be read, which `loadEnvFile` would tell as missing.
 */
export function readEnvFile(environment = process.env, file = settingsFile): void {
  try {
    const bytes = readFileSync(file);
    if (bytes.includes(0)) throw new Error('it isn’t saved as UTF-8');
    // Without the mark that Windows puts before the first name.
    const text = new TextDecoder().decode(bytes);
    const read = parseEnv(text);
    const isRead = (name: string) => name in settings && !environment[name];
    const cut = cutIn(text).filter(([name, beginning]) => isRead(name) && read[name] === beginning);
    if (cut.length > 0)
      throw new ConfigError(
        cut.map(([name]) => `${name}: in .env, a # ends a value without quotes; put it in single quotes`),
      );
    for (const [name, value] of Object.entries(read)) environment[name] ||= value;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new ConfigError([`.env: ${message}`]);
  }
}

/**
 * The names of values without quotes in which a # isn't behind a space, nor before one where it comes first, and what's before
 * it. Only a comment is to be left out.
 */
function cutIn(text: string): readonly (readonly [name: string, beginning: string])[] {
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=(?:[ \t]*([^\s'"`#][^\n#]*)#|(?=#\S))/gm);
  return Array.from(lines, ([, name = '', beginning = '']) => [name, beginning] as const).filter(
    ([, beginning]) => beginning === beginning.trimEnd(),
  );
}

/**
 * Checks the environment; an empty value counts as unset.
 * @throws {ConfigError} with every fault at once.
 */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, { schema, allowed }] of Object.entries(settings)) {
    const value = schema.safeParse(environment[name] || undefined);
    if (value.success) config[name] = value.data;
    else faults.push(notAllowed(name, allowed, environment));
  }
  faults.push(...missing(environment));
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config) as Config;
}

/**
 * Checks one setting alone; an empty value counts as unset.
 * @throws {ConfigError}
 */
export function readSetting<Name extends keyof Settings>(environment: Environment, name: Name): Config[Name] {
  const { schema, allowed }: Setting = settings[name];
  const value = schema.safeParse(environment[name] || undefined);
  if (!value.success) throw new ConfigError([notAllowed(name, allowed, environment)]);
  return value.data as Config[Name];
}

/** White space around a value isn't seen: files of secrets often end with a line break. Nor is what copying from a page may add. */
function notAllowed(name: string, allowed: string, { [name]: value = '' }: Environment): string {
  const hidden = /\p{Cf}/u.test(value) ? ', as it has a character that isn’t seen' : '';
  const why = value === value.trim() ? hidden : ', as it begins or ends with white space';
  return `${name}: this value is not allowed${why}; allowed: ${allowed}`;
}

/** Faults of settings that require each other. */
function missing(environment: Environment): string[] {
  const set = (name: keyof Settings) => Boolean(environment[name]);
  const faults: string[] = [];
  const need = (name: keyof Settings, when: string) =>
    faults.push(`${name}: missing; it is required ${when}; allowed: ${settings[name].allowed}`);
  if (set('SERVICE_BASE_URL') && !set('SERVICE_API_KEY')) need('SERVICE_API_KEY', 'with SERVICE_BASE_URL');
  if (set('SERVICE_API_KEY') && !set('SERVICE_BASE_URL')) need('SERVICE_BASE_URL', 'with SERVICE_API_KEY');
  const isShared = isPostgresUrl(environment.DATABASE_URL ?? '');
  if (isShared && !set('SERVICE_BASE_URL') && !set('SERVICE_API_KEY'))
    need('SERVICE_BASE_URL', 'with PostgreSQL, because every process would have a sandbox of its own');
  if (set('DISCORD_PUBLIC_KEY') && !set('DISCORD_TOKEN')) need('DISCORD_TOKEN', 'with DISCORD_PUBLIC_KEY');
  if (environment.DISCORD_SHARDS === '0' && !set('DISCORD_PUBLIC_KEY'))
    need('DISCORD_PUBLIC_KEY', 'with DISCORD_SHARDS=0, or no interactions arrive');
  const oauth = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const;
  for (const name of oauth) {
    if (oauth.some(set) && !set(name)) need(name, 'for installs in many workspaces, with the other two');
  }
  if (isShared && oauth.some(set) && !set('ENCRYPTION_KEY'))
    need(
      'ENCRYPTION_KEY',
      'for Slack installations in PostgreSQL, because every machine would have a key file of its own',
    );
  if (set('SLACK_APP_TOKEN') && !set('SLACK_BOT_TOKEN') && !oauth.some(set)) {
    need('SLACK_BOT_TOKEN', 'with SLACK_APP_TOKEN');
  }
  if (
    (set('SLACK_BOT_TOKEN') || oauth.some(set)) &&
    !set('SLACK_APP_TOKEN') &&
    !set('SLACK_SIGNING_SECRET')
  ) {
    faults.push(
      'SLACK_APP_TOKEN or SLACK_SIGNING_SECRET: missing; Slack needs one of them; allowed: xapp-… (Socket Mode) or the signing secret (HTTP mode)',
    );
  }
  if (consoleOn(environment) && isPublic(environment) && !set('CONSOLE_TOKEN')) {
    need('CONSOLE_TOKEN', 'when the console is on and other machines can reach PORT');
  }
  return faults;
}

/** A risk in settings that are valid. */
interface ConfigWarning {
  readonly subject: string;
  readonly found: string;
  readonly fix: string;
}

/**
 * Risks in valid settings, and in the file and environment that they're read from; logged at start-up and shown by the doctor.
 */
export function configWarnings(
  config: Config,
  file = settingsFile,
  environment: Environment = process.env,
): readonly ConfigWarning[] {
  const warnings: ConfigWarning[] = [];
  const { USER_DAILY_CREDITS, CHANNEL_DAILY_CREDITS, WORKSPACE_DAILY_CREDITS, TOTAL_DAILY_CREDITS } = config;
  const budgets = [USER_DAILY_CREDITS, CHANNEL_DAILY_CREDITS, WORKSPACE_DAILY_CREDITS, TOTAL_DAILY_CREDITS];
  if (config.SERVICE_BASE_URL !== undefined && budgets.every((credits) => credits === 0))
    warnings.push({
      subject: 'budgets',
      found: 'no daily budget is set, so anyone can spend all credits of the account',
      fix: 'set TOTAL_DAILY_CREDITS, or USER_DAILY_CREDITS, CHANNEL_DAILY_CREDITS or WORKSPACE_DAILY_CREDITS',
    });
  const { OPERATORS, DISCORD_TOKEN, SLACK_BOT_TOKEN, SLACK_CLIENT_ID } = config;
  const namesOperators = OPERATORS ?? DISCORD_TOKEN ?? SLACK_CLIENT_ID;
  if (SLACK_BOT_TOKEN !== undefined && namesOperators === undefined && !consoleOn(config))
    warnings.push({
      subject: 'operators',
      found:
        'nobody is notified when the key is refused or the account is out of credits: a Slack bot token does not say who runs the bot',
      fix: 'set OPERATORS to slack:TEAM/USER',
    });
  if (isPublic(config) && config.METRICS_TOKEN === undefined)
    warnings.push({
      subject: 'metrics',
      found:
        'other machines can reach this port, perhaps through a proxy on this machine, so /metrics and the reasons of /readyz are hidden',
      fix: 'set METRICS_TOKEN to see them',
    });
  return [...warnings, ...openFile(file), ...misspelt(environment)];
}

/** So many letters may be wrong. In a short name, such as HOME, they'd make a setting of anything. */
const mostEdits = 2;

/** Warns of variables that look like settings: a budget, for example, is off that is set by another name. */
function misspelt(environment: Environment): readonly ConfigWarning[] {
  const names = Object.keys(settings);
  return Object.keys(environment).flatMap((name) => {
    const meant = names.includes(name) || !name.includes('_') ? undefined : nearest(name, names, mostEdits);
    if (meant === undefined) return [];
    return [
      { subject: 'names', found: `${name} is no setting, and changes nothing`, fix: `set ${meant} instead` },
    ];
  });
}

/** Permissions to read a file: of everybody, and of the group too. */
const readByAnyone = 0o004;
const readByGroup = 0o044;

/** Warns of a file of secrets that others on this machine can read. A group may be meant where the bot doesn't own the file. */
function openFile(file: string): readonly ConfigWarning[] {
  const now = statSync(file, { throwIfNoEntry: false });
  if (!now || process.getuid === undefined) return [];
  const isOurs = now.uid === process.getuid();
  if ((now.mode & (isOurs ? readByGroup : readByAnyone)) === 0) return [];
  const found = `other users of this machine can read ${file}, with the keys and tokens in it`;
  return [{ subject: '.env', found, fix: `run chmod ${isOurs ? '600' : 'o='} ${file}` }];
}

/** The console page is on by default while no platform is configured. */
export function consoleOn(environment: Readonly<Record<string, unknown>>): boolean {
  if (environment.CONSOLE) return environment.CONSOLE === 'on';
  return !environment.DISCORD_TOKEN && !environment.SLACK_BOT_TOKEN && !environment.SLACK_CLIENT_ID;
}

/**
 * Whether other machines can reach the HTTP server: because it listens on a public address, or because a proxy
 * must forward requests to it (Slack's HTTP mode and installations, Discord's interactions, a console with a token).
 */
export function isPublic(environment: Readonly<Record<string, unknown>>): boolean {
  const { SLACK_SIGNING_SECRET, SLACK_APP_TOKEN, SLACK_CLIENT_ID, DISCORD_PUBLIC_KEY, CONSOLE_TOKEN, HOST } =
    environment;
  const httpMode = SLACK_SIGNING_SECRET && !SLACK_APP_TOKEN;
  const remoteConsole = CONSOLE_TOKEN && consoleOn(environment);
  return (
    Boolean(httpMode || SLACK_CLIENT_ID || DISCORD_PUBLIC_KEY || remoteConsole) ||
    !isLoopback(String(HOST || '127.0.0.1'))
  );
}

/** Whether `host` is loopback: only this machine can reach a server on it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether the embedded sandbox, which stands in for the service where `SERVICE_BASE_URL` isn't set, can make its media
 * here: the packages for that are development dependencies, absent in the container.
 */
export function isSandboxInstalled(): boolean {
  try {
    import.meta.resolve('@echogarden/espeak-ng-emscripten');
    return true;
  } catch {
    return false;
  }
}
