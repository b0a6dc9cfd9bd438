import { DiscordAPIError, RateLimitError } from '@discordjs/rest';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { isModerated, platformErrorOf } from '../../platforms/discord/api/errors.ts';
import {
  isTimedOut,
  missingPermissions,
  type PermissionName,
  permissionsInChannel,
  readServer,
  type Server,
} from '../../platforms/discord/servers/server.ts';
import { PlatformError } from '../../port/index.ts';
import { needs, refused, type Seen, type Step, unclear } from '../run-steps.ts';
import type { DiscordChannel } from './channel.ts';

/** A step on Discord. */
export interface DiscordStep extends Step<DiscordChannel> {
  /** What it needs; Send Messages by default. A missing one is no refusal. */
  readonly permission?: PermissionName;
  /** Discord's codes for refusing what is tried; no other refusal counts, nor is remembered. */
  readonly refusedBy?: readonly number[];
}

/** Discord's codes for missing permissions. */
export const permissionCodes: readonly number[] = [
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
];

/** A file is too large. A proxy in front of Discord says so without a code of Discord's: its status is taken for one. */
export const tooLarge: readonly number[] = [
  RESTJSONErrorCodes.RequestEntityTooLarge,
  RESTJSONErrorCodes.FileUploadedExceedsMaximumSize,
  413,
];

/** What an error says about a step. Temporary errors say nothing about what Discord allows. */
export async function explain(
  thrown: unknown,
  { permission = 'Send Messages', refusedBy = [] }: Pick<DiscordStep, 'permission' | 'refusedBy'> = {},
  channel?: DiscordChannel,
): Promise<Seen> {
  const error = thrown instanceof PlatformError ? thrown.cause : thrown;
  if (error instanceof RateLimitError) return unclear('Discord’s rate limit is reached (429)');
  if (!(error instanceof DiscordAPIError)) return unclear('no response from Discord');
  const { status, message } = error;
  if (status === 401 && error.code === 0)
    return needs('Discord refused DISCORD_TOKEN: set it to the bot’s token');
  const isOfProxy = !Number.isInteger(Number(error.code));
  const code = isOfProxy ? status : Number(error.code);
  const text = isOfProxy || code === 0 ? `${status}` : `${code} ${message}`;
  if (permissionCodes.includes(code)) {
    if (!channel) return needs(`The bot lacks a permission in this channel (${text})`);
    const missing = await missingPermission(channel, permission).catch(() => undefined);
    if (missing !== undefined) return needs(`${missing} (${code})`);
  }
  if (refusedBy.includes(code)) return refused(`refused: ${text}`);
  if (isModerated(platformErrorOf(error)))
    return needs(`AutoMod blocks the check’s messages (${code}): exempt the bot’s role from its rules`);
  return unclear(`${isOfProxy ? 'a proxy in front of Discord' : 'Discord'} answered ${text}`);
}

/** A sentence about what the bot needs in the channel to use a permission; undefined if nothing is missing. */
async function missingPermission(channel: DiscordChannel, name: PermissionName): Promise<string | undefined> {
  const server = await serverOf(channel);
  if (isTimedOut(server, Date.now())) return 'The bot is timed out in this server: remove the timeout first';
  const here = server.channels.get(channel.id);
  const granted = (here && server.me && permissionsInChannel(here, server.me)) ?? 0n;
  const missing = missingPermissions(granted, [...new Set<PermissionName>([...alwaysNeeded, name])]);
  if (missing.length === 0) return undefined;
  const permissions = missing.length === 1 ? 'permission' : 'permissions';
  return `Give the bot’s role the ${permissions} ${missing.join(', ')} in this channel`;
}

/** Dependencies of every step that posts. */
const alwaysNeeded: readonly PermissionName[] = ['View Channels', 'Send Messages'];

/** The server as it is now: permissions may change at any time. */
export async function serverOf({ api, workspace, me }: DiscordChannel): Promise<Server> {
  return readServer(await api.server(workspace, me), me);
}
