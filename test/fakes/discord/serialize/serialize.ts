import { ChannelFlags, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Fields } from '../http/fields.ts';
import type { Channel, Member, User } from '../model.ts';
import { isHiddenFromBot, isVoice } from '../rules/permissions.ts';
import type { World } from '../world.ts';

/** A time as the API writes it. */
export const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** A user as the API writes one. */
export function userBody(user: User): Fields {
  return {
    id: user.id,
    username: user.name,
    global_name: user.bot ? null : user.name,
    discriminator: user.bot ? '0001' : '0',
    avatar: null,
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    ...(user.bot && { bot: true }),
  };
}

/** A member without its user, as events carry it. */
export function memberBody(member: Member): Fields {
  return {
    roles: member.roles,
    nick: null,
    avatar: null,
    banner: null,
    joined_at: iso(member.joinedAt),
    premium_since: null,
    communication_disabled_until: member.timedOutUntil === undefined ? null : iso(member.timedOutUntil),
    pending: false,
    flags: 0,
    mute: false,
    deaf: false,
  };
}

/** A channel, direct channel or thread. */
export function channelBody(world: World, channel: Channel): Fields {
  const common = {
    id: channel.id,
    type: channel.type,
    flags: 0,
    last_message_id: channel.lastMessageId ?? null,
  };
  if (channel.guildId === undefined)
    return { ...common, recipients: channel.recipients.map((id) => userBody(world.user(id))) };
  if (channel.thread) return { ...common, ...threadFields(world, channel) };
  return {
    ...common,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position ?? 0,
    parent_id: channel.parentId ?? null,
    topic: null,
    nsfw: false,
    rate_limit_per_user: 0,
    ...(isVoice(channel) && { bitrate: 64_000, user_limit: 0, rtc_region: null }),
    permission_overwrites: channel.overwrites.map((overwrite) => ({
      id: overwrite.id,
      type: overwrite.type === 'role' ? 0 : 1,
      allow: overwrite.allow.toString(),
      deny: overwrite.deny.toString(),
    })),
  };
}

/** The same as the gateway tells of it: of a channel that the bot can't view, without what it's about (resources/channel, obfuscated channels). */
export function heardChannelBody(world: World, channel: Channel): Fields {
  const body = channelBody(world, channel);
  if (channel.guildId === undefined || channel.thread || !isHiddenFromBot(world, channel)) return body;
  const deny = PermissionFlagsBits.ViewChannel.toString();
  return {
    ...body,
    flags: ChannelFlags.ChannelObfuscated,
    name: '___hidden___',
    last_message_id: null,
    permission_overwrites: [{ id: channel.guildId, type: 0, allow: '0', deny }],
  };
}

function threadFields(world: World, channel: Channel): Fields {
  const thread = channel.thread;
  if (!thread) return {};
  return {
    guild_id: channel.guildId,
    name: channel.name,
    parent_id: channel.parentId,
    owner_id: thread.ownerId,
    rate_limit_per_user: 0,
    message_count: channel.messageCount,
    member_count: thread.members.size,
    total_message_sent: channel.messageCount,
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: iso(thread.createdAt),
      auto_archive_duration: thread.autoArchiveMinutes,
      locked: thread.locked,
      create_timestamp: iso(thread.createdAt),
    },
    ...(thread.members.has(world.bot.id) && {
      member: { id: channel.id, user_id: world.bot.id, join_timestamp: iso(thread.createdAt), flags: 0 },
    }),
  };
}
