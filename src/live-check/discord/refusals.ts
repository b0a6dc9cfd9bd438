import { DiscordAPIError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { errorCode, platformErrorOf } from '../../platforms/discord/api/errors.ts';
import type { PermissionName } from '../../platforms/discord/api/permissions.ts';
import { PlatformError, type PlatformErrorKind } from '../../port/index.ts';
import { needs, refused, type StepResult, unclear } from '../step.ts';
import type { DiscordContext } from './context.ts';
import { missingPermission } from './missing-permission.ts';

/** Discord's codes of what the bot is not permitted to do. */
const notPermitted: readonly number[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
];

/** What an error of Discord's means; what the bot waits for says nothing about what Discord allows. */
export function explain(error: unknown): StepResult {
  if (error instanceof RateLimitError) return unclear('Discord takes no more of these for now (429)');
  if (!(error instanceof DiscordAPIError)) return unclear('no answer from Discord');
  if (error.status === 401 && error.code === 0)
    return needs('Discord refuses DISCORD_TOKEN: set it to the bot’s token');
  const kind = kindOf(error);
  if (kind === undefined || kind === 'unreachable') return unclear(passing(error));
  if (notPermitted.includes(Number(error.code)))
    return needs(`The bot lacks a permission in this channel (${error.code} ${error.message})`);
  if (kind === 'moderated')
    return needs(`AutoMod blocks the check’s words (${error.code}): exempt the bot’s role in its rules`);
  // What is gone, too late, too large or filtered in this place says nothing about the thing itself.
  return kind === 'refused' ? refused(refusalText(error)) : unclear(passing(error));
}

/**
 * Does what takes a permission. Where Discord says that the bot may not, its permissions are looked up: what it lacks is
 * told by its name in Discord’s settings; where it lacks nothing, Discord refuses the thing itself.
 */
export async function withPermission(
  context: DiscordContext,
  name: PermissionName,
  work: () => Promise<StepResult>,
): Promise<StepResult> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !notPermitted.includes(code)) throw error;
    const why = await missingPermission(context, name);
    return why === undefined ? refused(refusalText(error as DiscordAPIError)) : needs(`${why} (${code})`);
  }
}

/** Does what Discord is expected to refuse with `code`. */
export async function expectRefusal(code: number, work: () => Promise<unknown>): Promise<StepResult> {
  try {
    await work();
  } catch (error) {
    if (errorCode(error) !== code) throw error;
    return refused(refusalText(error as DiscordAPIError));
  }
  return unclear('was done');
}

/** Whether a file was too large, as the running bot sees it. */
export function isTooLarge(error: unknown): boolean {
  return kindOf(error) === 'too-large';
}

function kindOf(error: unknown): PlatformErrorKind | undefined {
  const known = platformErrorOf(error);
  return known instanceof PlatformError ? known.kind : undefined;
}

function passing({ status, code, message }: DiscordAPIError): string {
  if (!Number.isInteger(Number(code))) return `something before Discord answered ${status}`;
  return Number(code) === 0 ? `Discord answered ${status}` : `Discord answered ${status}: ${code} ${message}`;
}

/** The number alone where something before Discord refused it, with a page of its own. */
export function refusalText({ status, code, message }: DiscordAPIError): string {
  return Number.isInteger(Number(code)) ? `refused: ${code} ${message}` : `refused: ${status}`;
}
