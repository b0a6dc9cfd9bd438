import { DiscordAPIError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { codeOf } from '../../platforms/discord/errors.ts';
import type { PermissionName } from '../../platforms/discord/permissions.ts';
import { needs, refused, type Seen, unclear } from '../step.ts';

/** Discord's codes of what the bot is not permitted to do. */
const notPermitted: readonly number[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
];

/** What an error of Discord's means. */
export function explain(error: unknown): Seen {
  if (error instanceof RateLimitError) return unclear('Discord takes no more of these for now (429)');
  if (!(error instanceof DiscordAPIError)) return unclear('no answer from Discord');
  if (!Number.isInteger(Number(error.code)))
    return unclear(`something before Discord answered ${error.status}`);
  if (error.status === 401) return needs('Discord refuses DISCORD_TOKEN: set it to the bot’s token');
  if (error.status >= 500) return unclear(`Discord answered ${error.status}`);
  if (notPermitted.includes(Number(error.code)))
    return needs(`The bot lacks a permission in this channel (${error.code} ${error.message})`);
  return refused(told(error));
}

/** Does what takes a permission; where the bot lacks it, that is told by its name in Discord's settings. */
export async function withPermission(name: PermissionName, work: () => Promise<Seen>): Promise<Seen> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || !notPermitted.includes(code)) throw error;
    return needs(`Give the bot’s role the permission ${name} in this channel (${code})`);
  }
}

/** Does what Discord is expected to refuse with `code`. */
export async function expecting(code: number, work: () => Promise<unknown>): Promise<Seen> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
    return refused(told(error as DiscordAPIError));
  }
  return unclear('was done');
}

function told({ code, message }: DiscordAPIError): string {
  return `refused: ${code} ${message}`;
}
