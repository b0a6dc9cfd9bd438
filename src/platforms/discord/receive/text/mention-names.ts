import type {
  APIInteractionDataResolved,
  APIUser,
  GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10';
import type { RawInteraction } from '../../connection/connections.ts';
import type { Identity } from '../../connection/own-application.ts';
import type { Servers } from '../../servers/servers.ts';
import { nameOf } from '../people.ts';
import type { Names } from './readable-text.ts';

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
