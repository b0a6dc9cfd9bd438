import { DiscordAPIError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { errorCode, platformErrorOf } from '../../platforms/discord/api/errors.ts';
import type { PermissionName } from '../../platforms/discord/api/permissions.ts';
import { PlatformError, type PlatformErrorKind } from '../../port/index.ts';
import { needs, refused, type StepResult, skipped, unclear } from '../step.ts';
import type { DiscordContext } from './context.ts';
import { SentElsewhereError } from './helper-connection.ts';
import { missingPermission } from './missing-permission.ts';

/** Discord's codes for missing permissions. */
const permissionCodes: readonly number[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
];

/** What only a person can do can't be seen while the application has a URL for it. */
const sentElsewhere = skipped(
  'Discord sends presses and commands to the Interactions Endpoint URL: try it with another application, or clear the URL meanwhile',
);

/** What an error says about a step. Temporary errors say nothing about what Discord allows. */
export function explain(error: unknown): StepResult {
  if (error instanceof RateLimitError) return unclear('Discord’s rate limit is reached (429)');
  if (error instanceof SentElsewhereError) return sentElsewhere;
  if (!(error instanceof DiscordAPIError)) return unclear('no response from Discord');
  if (error.status === 401 && error.code === 0)
    return needs('Discord refused DISCORD_TOKEN: set it to the bot’s token');
  const kind = kindOf(error);
  if (kind === undefined || kind === 'unreachable') return unclear(errorText(error));
  if (permissionCodes.includes(Number(error.code)))
    return needs(`The bot lacks a permission in this channel (${error.code} ${error.message})`);
  if (kind === 'moderated')
    return needs(`AutoMod blocks the check’s messages (${error.code}): exempt the bot’s role from its rules`);
  // Other errors, such as a message that is gone or a file that is too large, say nothing about the feature itself.
  return kind === 'refused' ? refused(refusalText(error)) : unclear(errorText(error));
}

/**
 * Tries something that needs a permission. If Discord refuses, the bot's permissions are fetched: a missing one is
 * reported by its name in Discord's settings; if none is missing, Discord refuses the feature itself.
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
    if (code === undefined || !permissionCodes.includes(code)) throw error;
    const missing = await missingPermission(context, name);
    return missing === undefined
      ? refused(refusalText(error as DiscordAPIError))
      : needs(`${missing} (${code})`);
  }
}

/** Tries something that Discord is expected to refuse with `code`. */
export async function expectRefusal(code: number, work: () => Promise<unknown>): Promise<StepResult> {
  try {
    await work();
  } catch (error) {
    if (errorCode(error) !== code) throw error;
    return refused(refusalText(error as DiscordAPIError));
  }
  return unclear('it was accepted');
}

/** Whether a file was too large, by the bot's own rule. */
export function isTooLarge(error: unknown): boolean {
  return kindOf(error) === 'too-large';
}

function kindOf(error: unknown): PlatformErrorKind | undefined {
  const known = platformErrorOf(error);
  return known instanceof PlatformError ? known.kind : undefined;
}

function errorText({ status, code, message }: DiscordAPIError): string {
  if (!Number.isInteger(Number(code))) return `a proxy in front of Discord answered ${status}`;
  return Number(code) === 0 ? `Discord answered ${status}` : `Discord answered ${status}: ${code} ${message}`;
}

/** With Discord's code and message, or with the status alone if a proxy in front of Discord refused it. */
export function refusalText({ status, code, message }: DiscordAPIError): string {
  return Number.isInteger(Number(code)) ? `refused: ${code} ${message}` : `refused: ${status}`;
}
