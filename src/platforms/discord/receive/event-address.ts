import type { ChannelType, GatewayMessageCreateDispatchData } from 'discord-api-types/v10';
import type { Address } from '../../../port/index.ts';
import type { RawInteraction } from '../connection/connections.ts';
import { isPublicThread } from '../servers/gateway-cache.ts';
import { isThreadType } from '../servers/server.ts';
import type { Servers } from '../servers/servers.ts';

/** Where an event happened. */
interface EventPlace {
  /** Undefined in direct messages. */
  readonly serverId: string | undefined;
  readonly channelId: string;
  readonly type: ChannelType | undefined;
  readonly parentId: string | undefined;
}

/** The address at which a message is answered. */
export function addressOfMessage(
  message: GatewayMessageCreateDispatchData,
  servers: Pick<Servers, 'channel'>,
): Address {
  const { guild_id: serverId, channel_id: channelId } = message;
  const known = servers.channel(channelId);
  return addressOf({ serverId, channelId, type: known?.type, parentId: known?.parentId });
}

/** The address at which an interaction is answered; it says itself which channel it's from. */
export function addressOfInteraction({ guild_id: serverId, channel, channel_id }: RawInteraction): Address {
  const parentId = channel && 'parent_id' in channel ? (channel.parent_id ?? undefined) : undefined;
  return addressOf({ serverId, channelId: channel?.id ?? channel_id ?? '', type: channel?.type, parentId });
}

/** It records whether its thread is public: once a thread is deleted, that can't be found out any more. */
function addressOf({ serverId, channelId: id, type, parentId }: EventPlace): Address {
  const workspace = serverId ?? id;
  if (!isThreadType(type) || parentId === undefined) return { platform: 'discord', workspace, channel: id };
  const inThread: Address = { platform: 'discord', workspace, channel: parentId, thread: id };
  return isPublicThread(type) ? { ...inThread, threadIsPublic: true } : inThread;
}
