import { missingPermissions, type PermissionName } from '../../platforms/discord/api/permissions.ts';
import type { DiscordContext } from './context.ts';

/**
 * A sentence about what the bot needs in the channel to use a permission; undefined if nothing is missing. The permissions
 * are fetched again, because they may change at any time.
 */
export async function missingPermission(
  { client, guildId, channelId, applicationId }: DiscordContext,
  name: PermissionName,
): Promise<string | undefined> {
  const guild = await client.guilds.fetch({ guild: guildId, force: true });
  const me = await guild.members.fetch({ user: applicationId, force: true });
  if (me.isCommunicationDisabled()) return 'The bot is timed out in this server: remove the timeout first';
  const channel = await guild.channels.fetch(channelId, { force: true });
  const granted = channel?.permissionsFor(me).bitfield ?? 0n;
  const missing = missingPermissions(granted, [...new Set([...alwaysNeeded, name])]);
  if (missing.length === 0) return undefined;
  const permissions = missing.length === 1 ? 'permission' : 'permissions';
  return `Give the bot’s role the ${permissions} ${missing.join(', ')} in this channel`;
}

/** What every step that posts needs. */
const alwaysNeeded: readonly PermissionName[] = ['View Channels', 'Send Messages'];
