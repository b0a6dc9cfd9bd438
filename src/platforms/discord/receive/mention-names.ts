import type { BaseInteraction, BaseInteractionResolvedData, Message } from 'discord.js';
import type { Names } from './readable-text.ts';

type Place = Pick<BaseInteraction, 'client' | 'guild'>;

/** Names that the gateway has told: of roles, channels and the bot itself, seldom of other people. */
function known({ client, guild }: Place): Names {
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

/** Names for a message, or for one that it forwards: of those it mentions, else what the gateway has told. */
export function namesInMessage(
  message: Message,
  mentions: Message['mentions'] | null = message.mentions,
): Names {
  const names = known(message);
  return {
    ...names,
    user: (id) =>
      mentions?.members?.get(id)?.displayName ?? mentions?.users.get(id)?.displayName ?? names.user(id),
  };
}

/** Names for the texts of an interaction: as it tells them (uncertain: discord.js#6728), else as the gateway has. */
export function namesInInteraction(
  interaction: Place,
  resolved: Readonly<BaseInteractionResolvedData> | null,
): Names {
  const names = known(interaction);
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
