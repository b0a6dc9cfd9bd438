import { ChannelType, type Interaction, type Message, type ThreadChannel } from 'discord.js';
import type { Address } from '../../../port/index.ts';

/** What an event says of its place. */
interface Place {
  readonly guildId: string | null;
  readonly channelId: string | null;
  readonly channel: Interaction['channel'] | Message['channel'];
}

/**
 * The address that an event is answered at. It says whether its thread is public: of one that's deleted meanwhile, nobody
 * could tell any more.
 */
export function addressOf({ guildId, channelId, channel }: Place): Address {
  const id = channelId ?? '';
  const workspace = guildId ?? id;
  if (!channel?.isThread() || channel.parentId === null)
    return { platform: 'discord', workspace, channel: id };
  const inThread: Address = { platform: 'discord', workspace, channel: channel.parentId, thread: id };
  return isPublic(channel) ? { ...inThread, threadIsPublic: true } : inThread;
}

/** Whether all who see a thread's channel can read it (topics/threads). */
export function isPublic({ type }: ThreadChannel): boolean {
  return type !== ChannelType.PrivateThread;
}
