import type {
  APIInteractionDataResolved,
  APIUser,
  GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10';
import type { Locale } from '../../../port/index.ts';
import type { RawInteraction } from '../connection/connections.ts';
import type { Identity } from '../connection/own-application.ts';
import type { Servers } from '../servers/servers.ts';
import { discordWords } from '../words.ts';

/** Looks up the names behind ids; undefined if a name isn't known. */
export interface Names {
  readonly user: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

/**
 * Discord's notation for mentions, emoji, commands and timestamps (reference, message formatting). Every part has a
 * maximum length, so that matching a hostile text takes time in proportion to its length only.
 */
const reference =
  /<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,32}):\d{1,20}|\/(?<command>[^:<>\n]{1,64}):\d{1,20}|t:(?<timestamp>-?\d{1,11})(?::[a-zA-Z])?)>/g;

/** A text as its author sees it: with names instead of ids, and a neutral word for a name that isn't known. */
export function readableText(text: string, names: Names, locale: Locale): string {
  const { someone, someRole, someChannel } = discordWords(locale);
  return text.replace(reference, (whole, ...matched) => {
    const { user, role, channel, emoji, command, timestamp } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (user) return `@${names.user(user) ?? someone}`;
    if (role) return `@${names.role(role) ?? someRole}`;
    if (channel) return `#${names.channel(channel) ?? someChannel}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    return timestamp ? timestampText(Number(timestamp)) : whole;
  });
}

/** Seconds since the epoch as a date and time in UTC. */
function timestampText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What people see of a user who has no name of their own in a server. */
export function nameOf({ global_name, username }: Pick<APIUser, 'global_name' | 'username'>): string {
  return global_name ?? username;
}

/** Who knows names: of the bot itself, and of a server's roles and channels. */
export interface NameSources {
  readonly identity: () => Identity;
  readonly servers: Pick<Servers, 'server'>;
}

/** Names that are known without asking; other people's are not. */
function knownNames({ identity, servers }: NameSources, serverId: string | undefined): Names {
  const me = identity();
  const server = servers.server(serverId ?? '');
  return {
    user: (id) => (id === me.id ? (server?.me?.nick ?? me.name) : undefined),
    role: (id) => server?.roles.get(id)?.name,
    channel: (id) => server?.channels.get(id)?.name,
  };
}

/** Names for a message: from its mentions and its author, else those that are known. */
export function namesInMessage(message: GatewayMessageCreateDispatchData, sources: NameSources): Names {
  const { author, member, mentions, guild_id: serverId } = message;
  const known = knownNames(sources, serverId);
  return {
    ...known,
    user: (id) => {
      const mentioned = mentions.find((one) => one.id === id);
      if (mentioned) return mentioned.member?.nick ?? nameOf(mentioned);
      return id === author.id ? (member?.nick ?? nameOf(author)) : known.user(id);
    },
  };
}

/** Names for a message that another one brings along: from its own mentions, else the other's names. */
export function namesInQuoted(names: Names, mentions: readonly APIUser[]): Names {
  const nameIn = (id: string) => {
    const user = mentions.find((one) => one.id === id);
    return user && nameOf(user);
  };
  return { ...names, user: (id) => nameIn(id) ?? names.user(id) };
}

/** Names for an interaction's texts: from its resolved data (uncertain: discord.js#6728), else those that are known. */
export function namesInInteraction(
  { guild_id: serverId, member, user = member?.user }: RawInteraction,
  resolved: Partial<Pick<APIInteractionDataResolved, 'users' | 'members' | 'roles' | 'channels'>> = {},
  sources: NameSources,
): Names {
  const known = knownNames(sources, serverId);
  return {
    user: (id) => {
      const found = resolved.users?.[id] ?? (id === user?.id ? user : undefined);
      const nick = resolved.members?.[id]?.nick ?? (id === user?.id ? member?.nick : undefined);
      return nick ?? (found ? nameOf(found) : known.user(id));
    },
    role: (id) => resolved.roles?.[id]?.name ?? known.role(id),
    channel: (id) => resolved.channels?.[id]?.name ?? known.channel(id),
  };
}
