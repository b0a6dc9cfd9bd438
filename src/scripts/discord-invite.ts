import { ConfigError, readSetting } from '../config/config.ts';
import { inviteOf } from '../platforms/discord/connection/own-application.ts';
import { PlatformError } from '../port/index.ts';
import { script } from './script.ts';

/** `npm run discord:invite`: prints the link with which an administrator invites the bot. */
async function link(): Promise<string> {
  const token = readSetting(process.env, 'DISCORD_TOKEN');
  if (token === undefined) {
    throw new ConfigError([
      'DISCORD_TOKEN: missing; it is required for the invite link; allowed: a bot token',
    ]);
  }
  try {
    return await inviteOf(token, readSetting(process.env, 'DISCORD_API_URL'));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new ConfigError([
      'Discord cannot be reached, or refuses DISCORD_TOKEN; npm run doctor tells which',
    ]);
  }
}

await script(link);
