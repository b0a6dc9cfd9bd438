import { type GuildMember, OAuth2Scopes, PermissionFlagsBits } from 'discord.js';

/** Every permission the bot uses, by the name Discord's settings give it. Nothing else is asked for. */
export const usedPermissions = {
  'View Channels': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Send Messages in Threads': PermissionFlagsBits.SendMessagesInThreads,
  'Create Public Threads': PermissionFlagsBits.CreatePublicThreads,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Send Voice Messages': PermissionFlagsBits.SendVoiceMessages,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
  /** For the preview of a result that is too large to be a file here: without it a film doesn't play in its place. */
  'Embed Links': PermissionFlagsBits.EmbedLinks,
  /** For the chats of voice channels. */
  Connect: PermissionFlagsBits.Connect,
} as const;
export type PermissionName = keyof typeof usedPermissions;

/** The names of those `needed` that `granted` does not have. */
export function missingPermissions(granted: bigint, needed: readonly PermissionName[]): PermissionName[] {
  if ((granted & PermissionFlagsBits.Administrator) !== 0n) return [];
  return needed.filter((name) => (granted & usedPermissions[name]) === 0n);
}

/** All that is left to a member that is timed out (topics/permissions). */
const whileTimedOut = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

/**
 * Whether the bot itself is timed out in a server: moderators can do that to bots, too (discord-api-docs#6847). The time
 * that Discord tells may be over long since. Who administers the server never is.
 */
export function isTimedOut(me: GuildMember | null | undefined, now: number): boolean {
  const until = me?.communicationDisabledUntilTimestamp ?? 0;
  return until > now && me?.permissions.has(PermissionFlagsBits.Administrator) !== true;
}

/** What of its permissions the bot can use at this time; the library and Discord may leave a time-out out of account. */
export function usablePermissions(granted: bigint, me: GuildMember | null | undefined, now: number): bigint {
  return isTimedOut(me, now) ? granted & whileTimedOut : granted;
}

/** The address at which an administrator invites the bot with exactly the permissions it uses. */
export function inviteLink(applicationId: string): string {
  const permissions = Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
    permissions: permissions.toString(),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}
