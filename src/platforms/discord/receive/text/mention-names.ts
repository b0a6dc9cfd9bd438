import type { APIUser, BaseInteraction, BaseInteractionResolvedData, Message } from 'discord.js';
import type { Names } from './readable-text.ts';

type EventSource = Pick<BaseInteraction, 'client' | 'guild'>;

/** Names that discord.js has cached: of roles, channels and the bot itself, rarely of other people. */
function cachedNames({ client, guild }: EventSource): Names {
  return {
    user: (id) =>
      guild?.members.cache.get(id)?.displayName ??
      (id === client.user.id ? client.user.displayName : client.users.cache.get(id)?.displayName),
    role: (id) => guild?.roles.cache.get(id)?.name,
    channel: (id) => {
      const channel = client.channels.cache.get(id);
      return channel && 'name' in channel ? (channel.name ?? undefined) : undefined;
    },
  };
}

/** Names for a message: from its mentions, else from the cache. */
export function namesInMessage(message: Message): Names {
  const names = cachedNames(message);
  const { members, users } = message.mentions;
  return {
    ...names,
    user: (id) => members?.get(id)?.displayName ?? users.get(id)?.displayName ?? names.user(id),
  };
}

/** Names for a message that another one refers to: from its own mentions, else from the other's and the cache. */
export function namesInQuoted(message: Message, mentions: readonly APIUser[]): Names {
  const names = namesInMessage(message);
  const nameOf = (id: string) => {
    const user = mentions.find((one) => one.id === id);
    return user && (user.global_name ?? user.username);
  };
  return { ...names, user: (id) => nameOf(id) ?? names.user(id) };
}

/** Names for an interaction's options: from its resolved data (uncertain: discord.js#6728), else from the cache. */
export function namesInInteraction(
  interaction: EventSource,
  resolved: Readonly<BaseInteractionResolvedData> | null,
): Names {
  const names = cachedNames(interaction);
  const nick = (id: string) => {
    const member = resolved?.members?.get(id);
    return member && ('displayName' in member ? member.displayName : (member.nick ?? undefined));
  };
  return {
    user: (id) => nick(id) ?? resolved?.users?.get(id)?.displayName ?? names.user(id),
    role: (id) => resolved?.roles?.get(id)?.name ?? names.role(id),
    channel: (id) => {
      const channel = resolved?.channels?.get(id);
      return (channel && 'name' in channel && channel.name) || names.channel(id);
    },
  };
}
