import {
  isTimedOut,
  missingPermissions,
  type PermissionName,
} from '../../platforms/discord/api/permissions.ts';
import type { DiscordContext } from './context.ts';

/**
 * Why the bot may not do what takes a permission in the channel, in a sentence; undefined where its permissions there
 * include it. They are read anew, because they may change at any minute.
 */
export async function missingPermission(
  { client, guildId, channelId, applicationId }: DiscordContext,
  name: PermissionName,
): Promise<string | undefined> {
  const guild = await client.guilds.fetch({ guild: guildId, force: true });
  const me = await guild.members.fetch({ user: applicationId, force: true });
  if (isTimedOut(me, Date.now())) return 'The bot is timed out in this server: end that first';
  const channel = await guild.channels.fetch(channelId, { force: true });
  const granted = channel?.permissionsFor(me).bitfield ?? 0n;
  const missing = missingPermissions(granted, [...new Set([...always, name])]);
  if (missing.length === 0) return undefined;
  const permissions = missing.length === 1 ? 'permission' : 'permissions';
  return `Give the bot’s role the ${permissions} ${missing.join(', ')} in this channel`;
}

/** What every step that posts takes. */
const always: readonly PermissionName[] = ['View Channels', 'Send Messages'];
