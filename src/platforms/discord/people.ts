import {
  type APIInteractionGuildMember,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
  type User,
} from 'discord.js';
import type { Locale, Person } from '../../port/index.ts';

interface Asking {
  readonly user: User;
  readonly member: GuildMember | APIInteractionGuildMember | null;
  /** What they may do in the place; null where they are among themselves with the bot. */
  readonly permissions: Readonly<PermissionsBitField> | null;
  readonly locale: Locale;
}

/** Somebody on Discord as the port knows people. */
export function personOf({ user, member, permissions, locale }: Asking): Person {
  const nick = member && ('displayName' in member ? member.displayName : member.nick);
  const roles = member && (Array.isArray(member.roles) ? member.roles : [...member.roles.cache.keys()]);
  return {
    id: user.id,
    name: nick ?? user.displayName,
    locale,
    administrator: permissions === null || permissions.has(PermissionFlagsBits.ManageGuild),
    moderator: permissions === null || permissions.has(PermissionFlagsBits.ManageMessages),
    ...(roles && { roles }),
  };
}
