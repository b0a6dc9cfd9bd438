import { type Config, ConfigError, configWarnings, consoleOn, readConfig } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { checkAddress } from './address.ts';
import { checkDatabase } from './database.ts';
import { capitalized, caution, type Finding, fine, wrong } from './finding.ts';
import { checkService } from './service.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Looks at everything the bot would use: settings, service, database, address, Discord and Slack. Costs nothing,
 * posts nothing, changes nothing; takes ten seconds at most, or twenty where one answer leads to another.
 * The environment may come from another file than `.env` next to package.json.
 */
export async function diagnose(environment: Environment, file?: string): Promise<Finding[]> {
  try {
    const config = readConfig(environment);
    const checks = [checkService, checkDatabase, checkAddress, checkDiscord, checkSlack];
    const findings = await Promise.all(checks.map((check) => check(config)));
    const unsafe = configWarnings(config, file).map(({ subject, found, fix }) =>
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
async function checkDiscord(config: Config): Promise<Finding[]> {
  const { DISCORD_TOKEN: token } = config;
  if (token === undefined) return [fine('Discord', 'Off, because DISCORD_TOKEN isn’t set.')];
  return (await import('./discord.ts')).checkDiscord(token, config);
}

async function checkSlack(config: Config): Promise<Finding[]> {
  if (config.SLACK_BOT_TOKEN === undefined && config.SLACK_CLIENT_ID === undefined)
    return [fine('Slack', 'Off, because SLACK_BOT_TOKEN isn’t set.')];
  return (await import('./slack.ts')).checkSlack(config);
}
