import { OAuth2Scopes, PermissionFlagsBits } from 'discord-api-types/v10';
import type { PaidCommandName, PostingLimits } from '../../../port/index.ts';

/** Every permission the bot asks for, by its name in Discord's settings. */
export const usedPermissions = {
  'View Channels': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Send Messages in Threads': PermissionFlagsBits.SendMessagesInThreads,
  'Create Public Threads': PermissionFlagsBits.CreatePublicThreads,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Send Voice Messages': PermissionFlagsBits.SendVoiceMessages,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
  /** For the preview of a video that is too large to upload, so that it plays in the message. */
  'Embed Links': PermissionFlagsBits.EmbedLinks,
  /** For the chats of voice channels. */
  Connect: PermissionFlagsBits.Connect,
} as const;
export type PermissionName = keyof typeof usedPermissions;

/** What each talent needs to work as it can: without one of them it still works in a plainer form, or says so. */
export const permissionsFor = {
  ask: ['View Channels', 'Send Messages', 'Send Messages in Threads', 'Read Message History', 'Connect'],
  speak: ['Attach Files', 'Send Voice Messages'],
  imagine: ['Attach Files'],
  video: ['Attach Files', 'Create Public Threads', 'Send Messages in Threads', 'Embed Links'],
} as const satisfies Record<PaidCommandName, readonly PermissionName[]>;

/** The names of needed permissions that `granted` doesn't include. */
export function missingPermissions(granted: bigint, needed: readonly PermissionName[]): PermissionName[] {
  if ((granted & PermissionFlagsBits.Administrator) !== 0n) return [];
  return needed.filter((name) => (granted & usedPermissions[name]) === 0n);
}

/**
 * What a place doesn't allow, by the permissions missing there of those asked about. Voice messages need only their own
 * (discord-api-docs#6082); one that's refused all the same comes as a file, like any clip.
 */
export function limitsForFiles(
  missing: (names: readonly PermissionName[]) => readonly PermissionName[],
): PostingLimits {
  const [files] = missing(['Attach Files']);
  if (files === undefined) return {};
  return { files, ...(missing(['Send Voice Messages']).length === 0 && { voiceMessages: true }) };
}

/** The link with which an administrator invites the bot with exactly the permissions it uses. */
export function inviteLink(applicationId: string): string {
  const permissions = Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
    permissions: permissions.toString(),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}
