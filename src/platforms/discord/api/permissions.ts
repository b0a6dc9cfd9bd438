import { type GuildMember, OAuth2Scopes, PermissionFlagsBits } from 'discord.js';
import type { PaidCommandName } from '../../../port/index.ts';

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

/** The permissions of a member who is timed out (topics/permissions). */
const whileTimedOut = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

/**
 * Whether the bot is timed out in a server: moderators can time out bots, too (discord-api-docs#6847). The time that
 * Discord tells may have passed. An administrator is never timed out.
 */
export function isTimedOut(me: GuildMember | null | undefined, now: number): boolean {
  const until = me?.communicationDisabledUntilTimestamp ?? 0;
  return until > now && me?.permissions.has(PermissionFlagsBits.Administrator) !== true;
}

/** The permissions the bot can use now: the library and Discord may ignore a time-out. */
export function usablePermissions(granted: bigint, me: GuildMember | null | undefined, now: number): bigint {
  return isTimedOut(me, now) ? granted & whileTimedOut : granted;
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
