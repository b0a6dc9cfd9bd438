import { PermissionFlagsBits } from 'discord-api-types/v10';
import { type Channel, isThreadType, type Member, type Server } from './server.ts';

const allPermissions = Object.values(PermissionFlagsBits).reduce((all, one) => all | one, 0n);

/** What a member may do in a server as a whole (topics/permissions, permission overwrites). */
export function permissionsInServer(
  { id, ownerId, roles }: Pick<Server, 'id' | 'ownerId' | 'roles'>,
  member: Pick<Member, 'id' | 'roles'>,
): bigint {
  if (member.id === ownerId) return allPermissions;
  const own = [id, ...member.roles].map((role) => roles.get(role)?.permissions ?? 0n);
  const granted = own.reduce((all, bits) => all | bits, 0n);
  return isAdministrator(granted) ? allPermissions : granted;
}

/**
 * What a member may do in a channel, or in a thread, which has the permissions of its channel; undefined if that isn't
 * known.
 */
export function permissionsInChannel(
  channel: Channel,
  member: Pick<Member, 'id' | 'roles'>,
): bigint | undefined {
  const { server } = channel;
  const decisive = isThreadType(channel.type) ? server.channels.get(channel.parentId ?? '') : channel;
  if (!decisive) return undefined;
  const granted = permissionsInServer(server, member);
  if (isAdministrator(granted)) return granted;
  const apply = (bits: bigint, ids: readonly string[]) => {
    const overwrites = decisive.overwrites.filter(({ id }) => ids.includes(id));
    const denied = overwrites.reduce((all, { deny }) => all | deny, 0n);
    const allowed = overwrites.reduce((all, { allow }) => all | allow, 0n);
    return (bits & ~denied) | allowed;
  };
  const roles = member.roles.filter((role) => role !== server.id);
  return apply(apply(apply(granted, [server.id]), roles), [member.id]);
}

export function isAdministrator(permissions: bigint): boolean {
  return (permissions & PermissionFlagsBits.Administrator) !== 0n;
}

/** The permissions of a member who is timed out (topics/permissions). */
const whileTimedOut = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

/**
 * Whether a member is timed out in a server, the bot itself by default: moderators can time out bots, too (discord-api-docs#6847). The time that
 * Discord tells may have passed. An administrator is never timed out.
 */
export function isTimedOut(server: Server | undefined, now: number, member = server?.me): boolean {
  if (!server || !member || (member.timedOutUntil ?? 0) <= now) return false;
  return !isAdministrator(permissionsInServer(server, member));
}

/** The permissions a member can use now: Discord may ignore a time-out. */
export function usablePermissions(
  granted: bigint,
  server: Server | undefined,
  now: number,
  member = server?.me,
): bigint {
  return isTimedOut(server, now, member) ? granted & whileTimedOut : granted;
}
