import { argv, env, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { DiscordApi } from './api.ts';
import { inviteLink } from './permissions.ts';

/** The invite link of the application that a bot token belongs to. */
export async function inviteOf(token: string, apiUrl: string): Promise<string> {
  const api = new DiscordApi({ token, apiUrl });
  try {
    const { id } = await api.application();
    return inviteLink(id);
  } finally {
    api.close();
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl = 'https://discord.com/api' } = env;
  if (!token) {
    stderr.write('DISCORD_TOKEN: missing; it is required for the invite link; allowed: a bot token\n');
    exit(1);
  }
  try {
    stdout.write(`${await inviteOf(token, apiUrl)}\n`);
  } catch (error) {
    stderr.write(`Discord did not answer as expected: ${error instanceof Error ? error.message : 'fault'}\n`);
    exit(1);
  }
}
