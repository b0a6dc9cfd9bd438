import { GuildPremiumTier, PermissionFlagsBits } from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import {
  isTimedOut,
  missingPermissions,
  type PermissionName,
  usablePermissions,
} from '../api/permissions.ts';
import { defaultUploadLimit } from '../media/uploads.ts';
import { isPublic } from '../receive/event-address.ts';
import type { Connection } from './connection.ts';

const boosted: Partial<Record<GuildPremiumTier, number>> = {
  [GuildPremiumTier.Tier2]: 50 * 1024 ** 2,
  [GuildPremiumTier.Tier3]: 100 * 1024 ** 2,
};

/** What is known of servers and channels from the gateway. */
export class GatewayCache {
  readonly #gateway: Pick<Connection, 'guild' | 'channel'>;
  readonly #clock: Clock;

  constructor(gateway: Pick<Connection, 'guild' | 'channel'>, clock: Clock) {
    this.#gateway = gateway;
    this.#clock = clock;
  }

  /** Bytes a file of the bot's may have in a server; in a direct message where there is no such server. */
  uploadLimit(guildId: string): number {
    const tier = this.#gateway.guild(guildId)?.premiumTier ?? GuildPremiumTier.None;
    return boosted[tier] ?? defaultUploadLimit;
  }

  /** The permissions that posting in a channel needs and the bot lacks; none where the channel is not known. */
  missingToPost(channelId: string, files: boolean): PermissionName[] {
    const channel = this.#gateway.channel(channelId);
    const send: PermissionName = channel?.isThread() ? 'Send Messages in Threads' : 'Send Messages';
    return this.missingPermissions(channelId, [
      'View Channels',
      // In voice channels it is what View Channels is elsewhere (topics/permissions, implicit permissions).
      ...(channel?.isVoiceBased() ? ['Connect' as const] : []),
      send,
      ...(files ? ['Attach Files' as const] : []),
    ]);
  }

  /** Which of these permissions the bot lacks in a channel; none where the channel is not known. */
  missingPermissions(channelId: string, names: readonly PermissionName[]): PermissionName[] {
    const usable = this.#permissionsIn(channelId);
    return usable === undefined ? [] : missingPermissions(usable, names);
  }

  /** Whether the bot's permissions in a channel are known. Direct messages have none to tell. */
  knowsPermissions(channelId: string): boolean {
    return this.#permissionsIn(channelId) !== undefined;
  }

  #permissionsIn(channelId: string): bigint | undefined {
    const channel = this.#gateway.channel(channelId);
    if (!channel || channel.isDMBased()) return undefined;
    const granted = channel.permissionsFor(channel.client.user);
    return granted
      ? usablePermissions(granted.bitfield, channel.guild.members.me, this.#clock.now())
      : undefined;
  }

  /** Whether the bot's permissions allow voice messages in a channel; true where they are not known. */
  mayPostVoice(channelId: string): boolean {
    return this.missingPermissions(channelId, ['Send Voice Messages']).length === 0;
  }

  /** Whether a channel holds nothing but posts: a forum, say. Messages can't be written in it. */
  isThreadOnly(channelId: string): boolean {
    return this.#gateway.channel(channelId)?.isThreadOnly() === true;
  }

  /** Whether all who see its channel can read a thread; false where the thread is not known. */
  isPublicThread(threadId: string): boolean {
    const channel = this.#gateway.channel(threadId);
    return channel?.isThread() === true && isPublic(channel);
  }

  /** Whether a channel is a locked thread, in which those who manage threads alone can write. */
  isLocked(channelId: string): boolean {
    const channel = this.#gateway.channel(channelId);
    if (!channel?.isThread() || channel.locked !== true) return false;
    const granted = channel.permissionsFor(channel.client.user);
    return granted?.has(PermissionFlagsBits.ManageThreads) !== true;
  }

  /** Whether the bot is timed out in a channel's server. */
  isTimedOut(channelId: string): boolean {
    const channel = this.#gateway.channel(channelId);
    return channel !== undefined && !channel.isDMBased()
      ? isTimedOut(channel.guild.members.me, this.#clock.now())
      : false;
  }

  /** What people call a channel or thread, where it is known. */
  channelName(channelId: string): string | undefined {
    const channel = this.#gateway.channel(channelId);
    return channel && 'name' in channel && channel.name !== null ? `#${channel.name}` : undefined;
  }
}
