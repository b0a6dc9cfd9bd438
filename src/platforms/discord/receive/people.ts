import { type APIUser, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Locale, Person } from '../../../port/index.ts';
import { isAdministrator } from '../servers/permissions.ts';

/** What an event tells about a person. */
interface PersonData {
  readonly user: APIUser;
  readonly member: { readonly nick?: string | null; readonly roles: readonly string[] } | undefined;
  /** Undefined outside of servers. */
  readonly serverId: string | undefined;
  /** Their permissions in a server's channel; undefined if unknown. */
  readonly permissions: bigint | undefined;
  /** What they'd need of those to write where they did something; undefined where they wrote. */
  readonly toWrite?: bigint;
  /** Whether they are alone with the bot: a direct message has no administrators. */
  readonly direct: boolean;
  /** In a group of people with no server around it. */
  readonly inGroup?: boolean;
  /** Only they installed the app that they use here, not the server. */
  readonly byOwnApp?: boolean;
  readonly locale: Locale;
}

/** A Discord user as a person of the port. */
export function personOf(data: PersonData): Person {
  const { user, member, serverId, permissions = 0n, toWrite, direct, inGroup, byOwnApp, locale } = data;
  const may = (bit: bigint) => !direct && (isAdministrator(permissions) || (permissions & bit) !== 0n);
  return {
    id: user.id,
    name: member?.nick ?? nameOf(user),
    locale,
    administrator: may(PermissionFlagsBits.ManageGuild),
    moderator: may(PermissionFlagsBits.ManageMessages),
    ...(direct && { direct: true }),
    ...(inGroup && { unmoderated: true }),
    ...(member && toWrite !== undefined && !may(toWrite) && { readsOnly: true }),
    ...(byOwnApp && !may(PermissionFlagsBits.UseExternalApps) && { unseen: true }),
    // Everybody has the role of the server's own id.
    ...(member && { roles: [...member.roles, ...(serverId === undefined ? [] : [serverId])] }),
  };
}

/** What people see of a user who has no name of their own in a server. */
export function nameOf({ global_name, username }: Pick<APIUser, 'global_name' | 'username'>): string {
  return global_name ?? username;
}
