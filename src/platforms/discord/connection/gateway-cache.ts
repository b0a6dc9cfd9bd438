import { ChannelType, GuildPremiumTier, PermissionFlagsBits, type ThreadChannel } from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import type { Address } from '../../../port/index.ts';
import { isDirectMessage } from '../api/address.ts';
import { tokenOfAddress } from '../api/interaction-token.ts';
import {
  isTimedOut,
  missingPermissions,
  type PermissionName,
  usablePermissions,
} from '../api/permissions.ts';
import { defaultUploadLimit } from '../media/uploads.ts';
import type { Connection } from './connection.ts';

/** Upload limits of boosted servers, in bytes. */
const boostedUploadLimits: Partial<Record<GuildPremiumTier, number>> = {
  [GuildPremiumTier.Tier2]: 50 * 1024 ** 2,
  [GuildPremiumTier.Tier3]: 100 * 1024 ** 2,
};

/** Where servers and channels are known from. */
interface Sources extends Pick<Connection, 'guild' | 'channel'> {
  /** Asks Discord for a server that the gateway doesn't tell about. */
  learn(guildId: string): Promise<void>;
}

/**
 * What's known of servers and channels, from the gateway or from requests. A channel that isn't known, such as a
 * direct message, counts as one in which the bot lacks no permission.
 */
export class GatewayCache {
  readonly #connection: Sources;
  readonly #clock: Clock;

  constructor(connection: Sources, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Finds out about an address's server, if that isn't known and can be asked for. Takes a second at most. */
  async learn(address: Address): Promise<void> {
    if (!isDirectMessage(address) && !tokenOfAddress(address))
      await this.#connection.learn(address.workspace);
  }

  /** Bytes that a file from the bot may have in a server; the limit of direct messages for any other id. */
  uploadLimit(guildId: string): number {
    const tier = this.#connection.guild(guildId)?.premiumTier ?? GuildPremiumTier.None;
    return boostedUploadLimits[tier] ?? defaultUploadLimit;
  }

  /** The permissions the bot lacks to post in a channel, with files or without. */
  missingToPost(channelId: string, withFiles = false): PermissionName[] {
    const channel = this.#connection.channel(channelId);
    return this.missingPermissions(channelId, [
      'View Channels',
      // Voice channels need Connect as others need View Channels (topics/permissions, implicit permissions).
      ...(channel?.isVoiceBased() ? ['Connect' as const] : []),
      channel?.isThread() ? 'Send Messages in Threads' : 'Send Messages',
      ...(withFiles ? ['Attach Files' as const] : []),
    ]);
  }

  /** Which of these permissions the bot lacks in a channel. */
  missingPermissions(channelId: string, needed: readonly PermissionName[]): PermissionName[] {
    const usable = this.#permissionsIn(channelId);
    return usable === undefined ? [] : missingPermissions(usable, needed);
  }

  /** Whether the bot's permissions in a channel are known. Direct messages have none. */
  knowsPermissions(channelId: string): boolean {
    return this.#permissionsIn(channelId) !== undefined;
  }

  /** Whether a channel holds only posts, as a forum does: messages can't be sent to it. */
  isThreadOnly(channelId: string): boolean {
    return this.#connection.channel(channelId)?.isThreadOnly() === true;
  }

  /** Whether threads can be opened under a channel's messages: voice channels and forums have none of those. */
  takesThreads(channelId: string): boolean {
    const type = this.#connection.channel(channelId)?.type;
    return type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement;
  }

  /** Whether everyone who sees a thread's channel can read it; false if the thread isn't known. */
  isPublicThread(threadId: string): boolean {
    const channel = this.#connection.channel(threadId);
    return channel?.isThread() === true && isPublicThread(channel);
  }

  /** Whether a channel is a locked thread that the bot can't write in. */
  isLocked(channelId: string): boolean {
    const channel = this.#connection.channel(channelId);
    if (!channel?.isThread() || channel.locked !== true) return false;
    const granted = channel.permissionsFor(channel.client.user);
    return granted?.has(PermissionFlagsBits.ManageThreads) !== true;
  }

  /** Whether the bot is timed out in a channel's server. */
  isTimedOut(channelId: string): boolean {
    const channel = this.#connection.channel(channelId);
    if (!channel || channel.isDMBased()) return false;
    return isTimedOut(channel.guild.members.me, this.#clock.now());
  }

  /** The name of a channel or thread, with its `#`. */
  channelName(channelId: string): string | undefined {
    const channel = this.#connection.channel(channelId);
    return channel && 'name' in channel && channel.name !== null ? `#${channel.name}` : undefined;
  }

  #permissionsIn(channelId: string): bigint | undefined {
    const channel = this.#connection.channel(channelId);
    if (!channel || channel.isDMBased()) return undefined;
    const granted = channel.permissionsFor(channel.client.user);
    return granted
      ? usablePermissions(granted.bitfield, channel.guild.members.me, this.#clock.now())
      : undefined;
  }
}

/** Whether everyone who sees a thread's channel can read it (topics/threads). */
export function isPublicThread({ type }: Pick<ThreadChannel, 'type'>): boolean {
  return type !== ChannelType.PrivateThread;
}
