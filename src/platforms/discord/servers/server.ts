import { type APIRole, ChannelType, type GuildPremiumTier } from 'discord-api-types/v10';
import type { ChannelData, MemberData, ServerData } from '../api/server-data.ts';

/** A role, as far as the bot looks it up. */
export interface Role {
  readonly name: string;
  readonly permissions: bigint;
  /** The bot whose own role it is; its name is the bot's. */
  readonly botId: string | undefined;
}

/** What a channel allows or denies a role or a member. */
interface Overwrite {
  readonly id: string;
  readonly allow: bigint;
  readonly deny: bigint;
}

/** A channel or thread of a server. */
export interface Channel {
  readonly id: string;
  readonly server: Server;
  readonly type: ChannelType;
  readonly name: string;
  /** Its category; a thread's channel. */
  readonly parentId: string | undefined;
  readonly position: number;
  /** A thread has those of its channel. */
  readonly overwrites: readonly Overwrite[];
  readonly locked: boolean;
  /** Whether the bot was added to this thread, or opened it. */
  joined: boolean;
}

/** Somebody's membership of a server. */
export interface Member {
  readonly id: string;
  readonly roles: readonly string[];
  readonly nick?: string | undefined;
  /** Timed out until then, in milliseconds since the epoch; the time may have passed. */
  readonly timedOutUntil?: number | undefined;
}

/** What's known of a server that the bot is in. */
export interface Server {
  readonly id: string;
  /** False in an outage. */
  available: boolean;
  ownerId: string;
  systemChannelId: string | null;
  rulesChannelId: string | null;
  preferredLocale: string;
  premiumTier: GuildPremiumTier;
  /** When the bot joined, in milliseconds since the epoch. */
  readonly joinedAt: number;
  readonly roles: Map<string, Role>;
  readonly channels: Map<string, Channel>;
  /** The bot's own membership. */
  me: Member | undefined;
}

/** Reads a server; `me` is the bot's own id. */
export function readServer(data: ServerData, me: string): Server {
  const own = data.members.find(({ user }) => user.id === me);
  const server: Server = {
    id: data.id,
    available: true,
    ...ownFields(data),
    joinedAt: Date.parse(data.joined_at),
    roles: new Map(data.roles.map((role) => [role.id, readRole(role)])),
    channels: new Map(),
    me: own && readMember(me, own),
  };
  for (const channel of [...data.channels, ...data.threads])
    server.channels.set(channel.id, readChannel(channel, server));
  return server;
}

/** What a server says of itself, which its administrators change. */
export function ownFields(
  data: Omit<ServerData, 'id' | 'channels' | 'threads' | 'members' | 'joined_at' | 'roles'>,
) {
  return {
    ownerId: data.owner_id,
    systemChannelId: data.system_channel_id,
    rulesChannelId: data.rules_channel_id,
    preferredLocale: data.preferred_locale,
    premiumTier: data.premium_tier,
  };
}

/** A role as Discord sends it, as far as the bot needs it; its id is beside it. */
export function readRole({ name, permissions, tags }: APIRole): Role {
  return { name, permissions: BigInt(permissions), botId: tags?.bot_id };
}

/** A member as Discord sends it, as far as the bot needs it. */
export function readMember(id: string, data: MemberData): Member {
  const { roles, nick, communication_disabled_until: until } = data;
  return {
    id,
    roles,
    ...(nick && { nick }),
    ...(until && { timedOutUntil: Date.parse(until) }),
  };
}

/** A channel or thread of a server as Discord sends it, as far as the bot needs it. */
export function readChannel(data: ChannelData, server: Server): Channel {
  return {
    id: data.id,
    server,
    type: data.type,
    name: data.name ?? '',
    parentId: data.parent_id ?? undefined,
    position: data.position ?? 0,
    overwrites: (data.permission_overwrites ?? []).map(({ id, allow, deny }) => ({
      id,
      allow: BigInt(allow),
      deny: BigInt(deny),
    })),
    locked: data.thread_metadata?.locked === true,
    joined: data.member !== undefined,
  };
}

/** Whether a channel is a thread, by its type. */
export function isThreadType(type: number | undefined): boolean {
  return (
    type === ChannelType.AnnouncementThread ||
    type === ChannelType.PublicThread ||
    type === ChannelType.PrivateThread
  );
}

/** Whether it's a voice channel, whose chat may need Connect. */
export function isVoiceType(type: number | undefined): boolean {
  return type === ChannelType.GuildVoice || type === ChannelType.GuildStageVoice;
}
