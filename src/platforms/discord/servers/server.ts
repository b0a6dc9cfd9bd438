import {
  type APIRole,
  type APIUser,
  ChannelFlags,
  ChannelType,
  type GuildPremiumTier,
  OAuth2Scopes,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { PaidCommandName, PostingLimits } from '../../../port/index.ts';
import type { ChannelData, MemberData, ServerData } from '../api/api.ts';

/** A role, as far as the bot looks it up. */
interface Role {
  readonly name: string;
  readonly permissions: bigint;
  /** The bot whose own role it is; its name is the bot's. */
  readonly botId: string | undefined;
}

/**
 * The permissions that a channel allows or denies roles and members: of each the id, what's allowed, and what's denied. A server
 * may have half a million of them.
 */
type Overwrites = BigUint64Array;
const overwriteLength = 3;
const noOverwrites: Overwrites = new BigUint64Array();

/** A channel or thread of a server. */
export interface Channel {
  readonly id: string;
  readonly server: Server;
  readonly type: ChannelType;
  /** Undefined where Discord hides it, since the bot can't view the channel (resources/channel, obfuscated channels). */
  readonly name: string | undefined;
  /** Its category; a thread's channel. */
  readonly parentId: string | undefined;
  readonly position: number;
  /** A thread has those of its channel. */
  readonly overwrites: Overwrites;
  readonly locked: boolean;
  /** Whether the bot was added to this thread, or opened it. */
  joined: boolean;
}

/** Somebody's membership of a server. */
interface Member {
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
  name: string;
  /** People and bots when the server was told about; undefined where it came over HTTP. */
  readonly members: number | undefined;
  ownerId: string;
  systemChannelId: string | undefined;
  rulesChannelId: string | undefined;
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
  const { members = [], roles = [], channels = [], threads = [] } = data;
  const own = members.find(({ user }) => user.id === me);
  const server: Server = {
    id: data.id,
    available: true,
    ...ownFields(data),
    members: data.member_count,
    joinedAt: Date.parse(data.joined_at),
    roles: new Map(roles.map((role) => [role.id, readRole(role)])),
    channels: new Map(),
    me: own && readMember(me, own),
  };
  for (const channel of [...channels, ...threads])
    server.channels.set(channel.id, readChannel(channel, server));
  return server;
}

/** A server's own data, which its administrators change. */
export function ownFields(
  data: Omit<ServerData, 'id' | 'channels' | 'threads' | 'members' | 'joined_at' | 'roles'>,
) {
  return {
    name: data.name ?? '',
    ownerId: data.owner_id,
    systemChannelId: data.system_channel_id ?? undefined,
    rulesChannelId: data.rules_channel_id ?? undefined,
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

/** What people see of a user who has no name of their own in a server. */
export function nameOf({ global_name, username }: Pick<APIUser, 'global_name' | 'username'>): string {
  return global_name ?? username;
}

/** The ids of a member's roles. Everybody has the role of the server's own id. */
export function rolesOf(
  { roles }: { readonly roles: readonly string[] },
  serverId?: string,
): readonly string[] {
  return serverId === undefined ? roles : [...roles, serverId];
}

/** A channel or thread of a server as Discord sends it, as far as the bot needs it. */
export function readChannel(data: ChannelData, server: Server): Channel {
  return {
    id: data.id,
    server,
    type: data.type,
    name: isObfuscated(data) ? undefined : (data.name ?? ''),
    parentId: data.parent_id ?? undefined,
    position: data.position ?? 0,
    overwrites: readOverwrites(data),
    locked: data.thread_metadata?.locked === true,
    joined: data.member !== undefined,
  };
}

function readOverwrites({ permission_overwrites: all = [] }: ChannelData): Overwrites {
  if (all.length === 0) return noOverwrites;
  return BigUint64Array.from(all.flatMap(({ id, allow, deny }) => [BigInt(id), BigInt(allow), BigInt(deny)]));
}

function isObfuscated({ flags = 0 }: ChannelData): boolean {
  return (flags & ChannelFlags.ChannelObfuscated) !== 0;
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

/** Whether a member sees that a channel or thread is there. Who is in a private thread isn't known. */
export function isVisibleTo(channel: Channel, member: Pick<Member, 'id' | 'roles'>): boolean {
  const { ViewChannel } = PermissionFlagsBits;
  const isPrivate = channel.type === ChannelType.PrivateThread;
  return !isPrivate && ((permissionsInChannel(channel, member) ?? 0n) & ViewChannel) !== 0n;
}

/** Overwrites of a channel that are compared with another's: a message may name two hundred channels, with a thousand each. */
const mostCompared = 100;

/** Who is allowed or denied to see a channel, by their ids. Undefined where they're too many to compare. */
function viewersOf(channel: Channel) {
  const { overwrites } = decisiveFor(channel) ?? channel;
  if (overwrites.length > mostCompared * overwriteLength) return undefined;
  const [allowed, denied] = [new Set<bigint>(), new Set<bigint>()];
  for (let at = 0; at < overwrites.length; at += overwriteLength) {
    const [id = 0n, allow = 0n, deny = 0n] = [overwrites[at], overwrites[at + 1], overwrites[at + 2]];
    if ((allow & PermissionFlagsBits.ViewChannel) !== 0n) allowed.add(id);
    else if ((deny & PermissionFlagsBits.ViewChannel) !== 0n) denied.add(id);
  }
  return { allowed, denied };
}

/** Tells whether all who see one channel are certain to see another one; bots don't read. */
export function seenWhere(here: Channel): (channel: Channel) => boolean {
  const { me, roles } = here.server;
  const own = viewersOf(here);
  own?.allowed.delete(BigInt(me?.id ?? 0));
  for (const [id, { botId }] of roles) if (botId !== undefined) own?.allowed.delete(BigInt(id));
  return (channel) => {
    if (channel === here) return true;
    const there = viewersOf(channel);
    if (!there) return false;
    const isOpen = there.denied.size === 0 && isVisibleTo(channel, { id: '', roles: [] });
    return isOpen || (!!own && there.denied.isSubsetOf(own.denied) && own.allowed.isSubsetOf(there.allowed));
  };
}

const allPermissions = Object.values(PermissionFlagsBits).reduce((all, one) => all | one, 0n);

/** What a member may do in a server as a whole (topics/permissions, permission overwrites). */
export function permissionsInServer(
  { id, ownerId, roles }: Pick<Server, 'id' | 'ownerId' | 'roles'>,
  member: Pick<Member, 'id' | 'roles'>,
): bigint {
  if (member.id === ownerId) return allPermissions;
  const own = [id, ...member.roles].map((role) => roles.get(role)?.permissions ?? 0n);
  const granted = own.reduce((all, bits) => all | bits, 0n);
  return isAdministrator(granted) ? allPermissions : granted;
}

/**
 * What a member may do in a channel, or in a thread, which has the permissions of its channel; undefined if that isn't
 * known.
 */
export function permissionsInChannel(
  channel: Channel,
  member: Pick<Member, 'id' | 'roles'>,
): bigint | undefined {
  const { server } = channel;
  const decisive = decisiveFor(channel);
  // Everybody has a role that every server has.
  if (!decisive || !server.roles.has(server.id)) return undefined;
  const granted = permissionsInServer(server, member);
  if (isAdministrator(granted)) return granted;
  const { overwrites } = decisive;
  const apply = (bits: bigint, ids: readonly string[]) => {
    const wanted = new Set(ids.map(BigInt));
    let [allowed, denied] = [0n, 0n];
    for (let at = 0; at < overwrites.length; at += overwriteLength) {
      if (!wanted.has(overwrites[at] ?? 0n)) continue;
      allowed |= overwrites[at + 1] ?? 0n;
      denied |= overwrites[at + 2] ?? 0n;
    }
    return (bits & ~denied) | allowed;
  };
  const roles = member.roles.filter((role) => role !== server.id);
  return apply(apply(apply(granted, [server.id]), roles), [member.id]);
}

/** The channel whose overwrites hold: a thread's is the one that it's in. */
function decisiveFor(channel: Channel): Channel | undefined {
  return isThreadType(channel.type) ? channel.server.channels.get(channel.parentId ?? '') : channel;
}

export function isAdministrator(permissions: bigint): boolean {
  return (permissions & PermissionFlagsBits.Administrator) !== 0n;
}

/** The permissions of a member who is timed out (topics/permissions). */
const whileTimedOut = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

/**
 * Whether a member is timed out in a server, the bot itself by default: moderators can time out bots, too (discord-api-docs#6847). The time that
 * Discord tells may have passed. An administrator is never timed out.
 */
export function isTimedOut(server: Server | undefined, now: number, member = server?.me): boolean {
  if (!server || !member || (member.timedOutUntil ?? 0) <= now) return false;
  return !isAdministrator(permissionsInServer(server, member));
}

/** The permissions a member can use now: Discord may ignore a time-out. */
export function usablePermissions(
  granted: bigint,
  server: Server | undefined,
  now: number,
  member = server?.me,
): bigint {
  return isTimedOut(server, now, member) ? granted & whileTimedOut : granted;
}

/** Every permission the bot asks for, by its name in Discord's settings. */
export const usedPermissions = {
  'View Channels': PermissionFlagsBits.ViewChannel,
  'Send Messages': PermissionFlagsBits.SendMessages,
  'Send Messages in Threads': PermissionFlagsBits.SendMessagesInThreads,
  'Create Public Threads': PermissionFlagsBits.CreatePublicThreads,
  'Attach Files': PermissionFlagsBits.AttachFiles,
  'Send Voice Messages': PermissionFlagsBits.SendVoiceMessages,
  'Read Message History': PermissionFlagsBits.ReadMessageHistory,
  /** For the preview of a video that is too large to upload, so that it plays in the message. */
  'Embed Links': PermissionFlagsBits.EmbedLinks,
  /** For the chats of voice channels. */
  Connect: PermissionFlagsBits.Connect,
} as const;
export type PermissionName = keyof typeof usedPermissions;
/** All of them, as Discord writes permissions. */
export const inviteBits = String(Object.values(usedPermissions).reduce((all, bit) => all | bit, 0n));

/** What each talent needs to work as it can: without one of them it still works in a plainer form, or says so. */
export const permissionsFor = {
  ask: ['View Channels', 'Send Messages', 'Send Messages in Threads', 'Read Message History', 'Connect'],
  speak: ['Attach Files', 'Send Voice Messages'],
  imagine: ['Attach Files'],
  video: ['Attach Files', 'Create Public Threads', 'Send Messages in Threads', 'Embed Links'],
} as const satisfies Record<PaidCommandName, readonly PermissionName[]>;

/** The names of needed permissions that `granted` doesn't include. */
export function missingPermissions(granted: bigint, needed: readonly PermissionName[]): PermissionName[] {
  if ((granted & PermissionFlagsBits.Administrator) !== 0n) return [];
  return needed.filter((name) => (granted & usedPermissions[name]) === 0n);
}

/**
 * What a place doesn't allow, by the permissions missing there of those asked about. Voice messages need only their own
 * (discord-api-docs#6082); one that's refused all the same comes as a file, like any clip.
 */
export function limitsForFiles(
  missing: (names: readonly PermissionName[]) => readonly PermissionName[],
): PostingLimits {
  const [files] = missing(['Attach Files']);
  if (files === undefined) return {};
  return { files, ...(missing(['Send Voice Messages']).length === 0 && { voiceMessages: true }) };
}

/** The link with which an administrator invites the bot with exactly the permissions it uses. */
export function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands].join(' '),
    permissions: inviteBits,
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}
