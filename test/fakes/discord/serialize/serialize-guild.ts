import type { Fields } from '../http/fields.ts';
import type { Channel, Guild, Role } from '../model.ts';
import { basePermissions, isHeardByBot } from '../rules/permissions.ts';
import type { World } from '../world.ts';
import { channelBody, heardChannelBody, iso, memberBody, userBody } from './serialize.ts';

/** A server as the bot's list of its servers has it. */
export function ownGuildBody(guild: Guild, botId: string): Fields {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    banner: null,
    owner: false,
    permissions: (basePermissions(guild, botId) ?? 0n).toString(),
    features: [],
  };
}

/** A role of a server. */
export function roleBody(role: Role): Fields {
  return {
    id: role.id,
    name: role.name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position: 0,
    permissions: role.permissions.toString(),
    managed: role.botId !== undefined,
    ...(role.botId !== undefined && { tags: { bot_id: role.botId } }),
    mentionable: false,
    flags: 0,
  };
}

/** A server as its own endpoint and GUILD_UPDATE tell it, and as GUILD_CREATE begins. */
export function guildOwnBody(guild: Guild): Fields {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [...guild.roles.values()].map(roleBody),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: guild.systemChannelId,
    system_channel_flags: 0,
    rules_channel_id: guild.rulesChannelId,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: guild.premiumTier,
    premium_subscription_count: 0,
    preferred_locale: guild.preferredLocale,
    public_updates_channel_id: null,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
  };
}

/** A server as it is asked for (resources/guild, get guild). */
export function askedGuildBody(guild: Guild): Fields {
  return {
    ...guildOwnBody(guild),
    system_channel_id: guild.systemChannelId ?? null,
    home_header: null,
    region: 'deprecated',
    widget_enabled: false,
    widget_channel_id: null,
    max_presences: null,
    max_members: 25_000_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    nsfw: false,
    incidents_data: null,
    approximate_member_count: guild.members.size,
    approximate_presence_count: guild.members.size,
  };
}

/** A server's threads that aren't archived, as far as the bot can see them. */
export function activeThreads(world: World, guild: Guild): readonly Channel[] {
  return [...world.channels.values()].filter(
    (channel) =>
      channel.guildId === guild.id &&
      channel.thread &&
      !channel.thread.archived &&
      isHeardByBot(world, channel),
  );
}

/** A server as GUILD_CREATE carries it. */
export function guildBody(world: World, guild: Guild): Fields {
  const channels = [...world.channels.values()].filter((channel) => channel.guildId === guild.id);
  return {
    ...guildOwnBody(guild),
    joined_at: iso(guild.members.get(world.bot.id)?.joinedAt ?? world.clock.now()),
    large: guild.members.size > 50,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    // Without the intent for presences only the bot (events/gateway-events, guild create).
    members: [...guild.members.values()]
      .filter(({ userId }) => userId === world.bot.id)
      .map((member) => ({ ...memberBody(member), user: userBody(world.bot) })),
    channels: channels
      .filter((channel) => !channel.thread)
      .map((channel) => heardChannelBody(world, channel)),
    threads: activeThreads(world, guild).map((channel) => channelBody(world, channel)),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
