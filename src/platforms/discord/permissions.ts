import { OAuth2Scopes, PermissionFlagsBits } from 'discord.js';

/** Every permission the bot uses, by the name Discord's settings give it. Nothing else is asked for. */
export const usedPermissions = {
  'View Channels': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Send Messages in Threads': PermissionFlagsBits.SendMessagesInThreads,
  'Create Public Threads': PermissionFlagsBits.CreatePublicThreads,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Send Voice Messages': PermissionFlagsBits.SendVoiceMessages,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
  /** For the chats of voice channels. */
  Connect: PermissionFlagsBits.Connect,
} as const;
export type PermissionName = keyof typeof usedPermissions;

/** The names of those `needed` that `granted` does not have. */
export function missingPermissions(granted: bigint, needed: readonly PermissionName[]): PermissionName[] {
  if ((granted & PermissionFlagsBits.Administrator) !== 0n) return [];
  return needed.filter((name) => (granted & usedPermissions[name]) === 0n);
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
