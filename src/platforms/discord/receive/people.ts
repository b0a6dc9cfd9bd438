import {
  type APIInteractionGuildMember,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
  type User,
} from 'discord.js';
import type { Locale, Person } from '../../../port/index.ts';

/** What an event tells about a person. */
interface PersonData {
  readonly user: User;
  readonly member: GuildMember | APIInteractionGuildMember | null;
  /** Their permissions in a server's channel; null if unknown. */
  readonly permissions: Readonly<PermissionsBitField> | null;
  /** Whether they are alone with the bot: a direct message has no administrators. */
  readonly direct: boolean;
  /** In a group of people with no server around it. */
  readonly inGroup?: boolean;
  readonly locale: Locale;
}

/** A Discord user as a person of the port. */
export function personOf({ user, member, permissions, direct, inGroup, locale }: PersonData): Person {
  const nick = member && ('displayName' in member ? member.displayName : member.nick);
  const roles = member && (Array.isArray(member.roles) ? member.roles : [...member.roles.cache.keys()]);
  return {
    id: user.id,
    name: nick ?? user.displayName,
    locale,
    administrator: !direct && permissions?.has(PermissionFlagsBits.ManageGuild) === true,
    moderator: !direct && permissions?.has(PermissionFlagsBits.ManageMessages) === true,
    ...(direct && { direct: true }),
    ...(inGroup && { unmoderated: true }),
    ...(roles && { roles }),
  };
}
