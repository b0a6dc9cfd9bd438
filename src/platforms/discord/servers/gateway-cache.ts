import {
  type APIGuildMember,
  ChannelType,
  GuildPremiumTier,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { Clock } from '../../../lib/clock.ts';
import type { Address, WorkspaceFacts } from '../../../port/index.ts';
import { isDirectMessage, tokenOfAddress } from '../api/messages.ts';
import { defaultUploadLimit } from '../media/upload-limits.ts';
import {
  isThreadType,
  isTimedOut,
  isVoiceType,
  missingPermissions,
  type PermissionName,
  permissionsInChannel,
  permissionsInServer,
  readMember,
  usablePermissions,
} from './server.ts';
import type { Servers } from './servers.ts';

/** Upload limits of boosted servers, in bytes. */
const boostedUploadLimits: Partial<Record<GuildPremiumTier, number>> = {
  [GuildPremiumTier.Tier2]: 50 * 1024 ** 2,
  [GuildPremiumTier.Tier3]: 100 * 1024 ** 2,
};

/**
 * What's known of servers and channels, from the gateway or from requests. A channel that isn't known, such as a
 * direct message, counts as one in which the bot lacks no permission.
 */
export class GatewayCache {
  readonly #servers: Pick<Servers, 'server' | 'channel' | 'learn'>;
  readonly #clock: Clock;

  constructor(servers: Pick<Servers, 'server' | 'channel' | 'learn'>, clock: Clock) {
    this.#servers = servers;
    this.#clock = clock;
  }

  /** Finds out about an address's server, if that isn't known and can be asked for. Takes a second at most. */
  async learn(address: Address): Promise<void> {
    if (!isDirectMessage(address) && !tokenOfAddress(address)) await this.learnServer(address.workspace);
  }

  /** Finds out about a server, if that isn't known. Takes a second at most. */
  learnServer(serverId: string): Promise<void> {
    return this.#servers.learn(serverId);
  }

  /** The server of a channel; undefined where that isn't known. */
  serverOf(channelId: string): string | undefined {
    return this.#servers.channel(channelId)?.server.id;
  }

  /** Bytes that a file from the bot may have in a server; the limit of direct messages for any other id. */
  uploadLimit(guildId: string): number {
    const tier = this.#servers.server(guildId)?.premiumTier ?? GuildPremiumTier.None;
    return boostedUploadLimits[tier] ?? defaultUploadLimit;
  }

  /** The permissions the bot lacks to post in a channel, with files or without. */
  missingToPost(channelId: string, withFiles = false): PermissionName[] {
    const channel = this.#servers.channel(channelId);
    return this.missingPermissions(channelId, [
      ...neededToWrite(channel?.type, isThreadType(channel?.type)),
      ...(withFiles ? ['Attach Files' as const] : []),
    ]);
  }

  /** What a member may do at an address now; undefined if its channel isn't known. */
  memberMay(
    { channel: id, thread }: Address,
    data: APIGuildMember,
  ): Readonly<Record<'read' | 'write' | 'manageThreads' | 'moderate', boolean>> | undefined {
    const channel = this.#servers.channel(id);
    const member = readMember(data.user.id, data);
    const granted = channel && permissionsInChannel(channel, member);
    if (granted === undefined) return undefined;
    const usable = usablePermissions(granted, channel?.server, this.#clock.now(), member);
    const mayAll = (needed: readonly PermissionName[]) => missingPermissions(usable, needed).length === 0;
    const mayAny = (bits: bigint) => (usable & bits) !== 0n;
    // Who can't view a channel has the other permissions in vain (topics/permissions, implicit permissions).
    const read = mayAll(neededToRead(channel?.type));
    return {
      read,
      write: mayAll(neededToWrite(channel?.type, thread !== undefined)),
      manageThreads: mayAny(PermissionFlagsBits.ManageThreads),
      moderate: read && mayAny(PermissionFlagsBits.ManageMessages | PermissionFlagsBits.ManageGuild),
    };
  }

  /** Whether a member may manage a server; false if that isn't known. */
  administers(serverId: string, data: APIGuildMember): boolean {
    const server = this.#servers.server(serverId);
    if (!server) return false;
    const member = readMember(data.user.id, data);
    const granted = permissionsInServer(server, member);
    const usable = usablePermissions(granted, server, this.#clock.now(), member);
    return (usable & PermissionFlagsBits.ManageGuild) !== 0n;
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
    const type = this.#servers.channel(channelId)?.type;
    return type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
  }

  /** The title of a post; undefined for any other channel, and for a thread, whose name is the beginning of its message. */
  postTitle(channelId: string): string | undefined {
    const channel = this.#servers.channel(channelId);
    return isThreadType(channel?.type) && this.isThreadOnly(channel?.parentId ?? '')
      ? channel?.name
      : undefined;
  }

  /** Whether threads can be opened under a channel's messages: voice channels and forums have none of those. */
  takesThreads(channelId: string): boolean {
    const type = this.#servers.channel(channelId)?.type;
    return type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement;
  }

  /** Whether a channel is known to be a thread. */
  isThread(channelId: string): boolean {
    return isThreadType(this.#servers.channel(channelId)?.type);
  }

  /** Whether everyone who sees a thread's channel can read it; false if the thread isn't known. */
  isPublicThread(threadId: string): boolean {
    const type = this.#servers.channel(threadId)?.type;
    return isThreadType(type) && isPublicThread(type);
  }

  /** Whether the bot was added to a thread, as far as it's known: only then does a private one take its messages. */
  isInThread(threadId: string): boolean {
    return this.#servers.channel(threadId)?.joined === true;
  }

  /** Whether a channel is a locked thread that the bot can't write in. */
  isLocked(channelId: string): boolean {
    if (this.#servers.channel(channelId)?.locked !== true) return false;
    const granted = this.#grantedIn(channelId) ?? 0n;
    return (granted & PermissionFlagsBits.ManageThreads) === 0n;
  }

  /** Whether the bot is timed out in a channel's server. */
  isTimedOut(channelId: string): boolean {
    return isTimedOut(this.#servers.channel(channelId)?.server, this.#clock.now());
  }

  /** The name of a channel or thread, with its `#`; undefined where the bot can't view it. */
  channelName(channelId: string): string | undefined {
    const name = this.#servers.channel(channelId)?.name;
    return name === undefined ? undefined : `#${name}`;
  }

  /** What's known of a server; undefined where another process hears of it. */
  describeServer(serverId: string): WorkspaceFacts | undefined {
    const server = this.#servers.server(serverId);
    if (!server) return undefined;
    return { name: server.name, ...(server.members !== undefined && { members: server.members }) };
  }

  #permissionsIn(channelId: string): bigint | undefined {
    const granted = this.#grantedIn(channelId);
    const server = this.#servers.channel(channelId)?.server;
    return granted === undefined ? undefined : usablePermissions(granted, server, this.#clock.now());
  }

  #grantedIn(channelId: string): bigint | undefined {
    const channel = this.#servers.channel(channelId);
    const me = channel?.server.me;
    return channel && me && permissionsInChannel(channel, me);
  }
}

/** Voice channels need Connect as others need View Channels (topics/permissions, implicit permissions). */
function neededToRead(type: ChannelType | undefined): readonly PermissionName[] {
  return ['View Channels', ...(isVoiceType(type) ? ['Connect' as const] : [])];
}

/** What writing in a channel, or in a thread of it, takes. */
function neededToWrite(type: ChannelType | undefined, inThread: boolean): readonly PermissionName[] {
  return [...neededToRead(type), inThread ? 'Send Messages in Threads' : 'Send Messages'];
}

/** Whether everyone who sees a thread's channel can read it (topics/threads). */
export function isPublicThread(type: ChannelType | undefined): boolean {
  return type !== ChannelType.PrivateThread;
}
