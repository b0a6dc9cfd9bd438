import { type Config, ConfigError, configWarnings, consoleOn, readConfig } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { checkAddress } from './address.ts';
import { checkDatabase } from './database.ts';
import { caution, type Finding, fine, wrong } from './finding.ts';
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
    const unsafe = configWarnings(config, file).map(({ subject, found, fix: mend }) =>
      caution(subject, found, mend),
    );
    return [settingsFound(environment), ...unsafe, ...findings.flat(), ...reachable(config)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) =>
      wrong(
        'settings',
        fault,
        'correct it in the environment or .env, then run this again to check the rest',
      ),
    );
  }
}

function settingsFound(environment: Environment): Finding {
  const names = Object.keys(settings).filter((name) => environment[name]);
  return fine(
    'settings',
    names.length > 0
      ? `valid: ${names.join(', ')}`
      : 'none set, and none needed: troupe uses the embedded sandbox, an SQLite file and the console',
  );
}

/** A bot that nobody can speak to is of no use. */
function reachable(config: Config): Finding[] {
  const { DISCORD_TOKEN, SLACK_BOT_TOKEN, SLACK_CLIENT_ID } = config;
  if (DISCORD_TOKEN || SLACK_BOT_TOKEN || SLACK_CLIENT_ID || consoleOn(config)) return [];
  return [
    wrong(
      'platforms',
      'Discord, Slack and the console are all off',
      'set DISCORD_TOKEN or SLACK_BOT_TOKEN, or leave CONSOLE unset',
    ),
  ];
}

/** The library is large, so it is loaded only for who has a token. */
async function checkDiscord(config: Config): Promise<Finding[]> {
  const { DISCORD_TOKEN: token } = config;
  if (token === undefined) return [fine('Discord', 'off: DISCORD_TOKEN is not set')];
  const discord = await import('./discord.ts');
  return discord.checkDiscord({
    token,
    apiUrl: config.DISCORD_API_URL,
    guildId: config.DISCORD_GUILD_ID,
    messageContent: config.DISCORD_MESSAGE_CONTENT === 'on',
    shards: config.DISCORD_SHARDS,
    publicKey: config.DISCORD_PUBLIC_KEY,
  });
}

async function checkSlack(config: Config): Promise<Finding[]> {
  if (config.SLACK_BOT_TOKEN === undefined && config.SLACK_CLIENT_ID === undefined)
    return [fine('Slack', 'off: SLACK_BOT_TOKEN is not set')];
  const slack = await import('./slack.ts');
  return slack.checkSlack(config);
}
