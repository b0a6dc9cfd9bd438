import {
  type APIInteractionGuildMember,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
  type User,
} from 'discord.js';
import type { Locale, Person } from '../../../port/index.ts';

interface Asking {
  readonly user: User;
  readonly member: GuildMember | APIInteractionGuildMember | null;
  /** What they may do in a server's channel; nothing where that is not known. */
  readonly permissions: Readonly<PermissionsBitField> | null;
  /** Whether they are alone with the bot: nobody administers such a place. */
  readonly direct: boolean;
  readonly locale: Locale;
}

/** Somebody on Discord as the port knows people. */
export function personOf({ user, member, permissions, direct, locale }: Asking): Person {
  const nick = member && ('displayName' in member ? member.displayName : member.nick);
  const roles = member && (Array.isArray(member.roles) ? member.roles : [...member.roles.cache.keys()]);
  return {
    id: user.id,
    name: nick ?? user.displayName,
    locale,
    administrator: !direct && permissions?.has(PermissionFlagsBits.ManageGuild) === true,
    moderator: !direct && permissions?.has(PermissionFlagsBits.ManageMessages) === true,
    ...(direct && { direct: true }),
    ...(roles && { roles }),
  };
}
