import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  type Config,
  ConfigError,
  configWarnings,
  consoleOn,
  type Environment,
  readConfig,
} from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { checkDatabase } from './database.ts';
import { capitalized, caution, type Finding, fine, patience, wrong } from './finding.ts';
import { checkService } from './service.ts';

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
  const listing = withListing ? (await import('./listing.ts')).slackListing(config) : [];
  return [...(await (await import('./slack.ts')).checkSlack(config)), ...listing];
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
