import type { Interaction, Message } from 'discord.js';
import type { Address } from '../../../port/index.ts';
import { isPublicThread } from '../connection/gateway-cache.ts';

/** Where an event happened. */
interface EventPlace {
  readonly guildId: string | null;
  readonly channelId: string | null;
  readonly channel: Interaction['channel'] | Message['channel'];
}

/**
 * The address at which an event is answered. It records whether its thread is public: once a thread is deleted, that
 * can't be found out any more.
 */
export function addressOf({ guildId, channelId, channel }: EventPlace): Address {
  const id = channelId ?? '';
  const workspace = guildId ?? id;
  if (!channel?.isThread() || channel.parentId === null)
    return { platform: 'discord', workspace, channel: id };
  const inThread: Address = { platform: 'discord', workspace, channel: channel.parentId, thread: id };
  return isPublicThread(channel) ? { ...inThread, threadIsPublic: true } : inThread;
}
