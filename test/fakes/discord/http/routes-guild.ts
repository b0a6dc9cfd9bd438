import { PermissionFlagsBits } from 'discord-api-types/v10';
import { basePermissions, isHiddenFromBot, requireBotPermissions } from '../rules/permissions.ts';
import { activeThreads, askedGuildBody } from '../serialize/serialize-guild.ts';
import { channelBody, iso } from '../serialize/serialize.ts';
import type { World } from '../world.ts';
import { refusals } from './refusal.ts';
import { done, fieldsOf, ok, type Route, route } from './route.ts';

/** Servers, their single commands and AutoMod rules, and deletion of threads. */
export const guildRoutes: readonly Route[] = [
  route('GET /guilds/{guild_id}', 'other', ({ world }, { params }) =>
    ok(askedGuildBody(memberGuild(world, params.guild_id))),
  ),
  route('GET /guilds/{guild_id}/channels', 'other', ({ world }, { params }) => {
    const { id } = memberGuild(world, params.guild_id);
    const channels = [...world.channels.values()].filter(
      (channel) => channel.guildId === id && !channel.thread && !isHiddenFromBot(world, channel),
    );
    return ok(channels.map((channel) => channelBody(world, channel)));
  }),
  route('GET /guilds/{guild_id}/threads/active', 'other', ({ world }, { params }) => {
    const guild = memberGuild(world, params.guild_id);
    const threads = activeThreads(world, guild).map((thread) => channelBody(world, thread));
    const members = threads.flatMap(({ member }) => member ?? []);
    return ok({ threads: threads.map(({ member: _, ...thread }) => thread), members, has_more: false });
  }),
  route(
    'POST /applications/{application_id}/guilds/{guild_id}/commands',
    'commands',
    ({ world, commands }, { params, json }) => ({
      status: 201,
      body: commands.create(memberGuild(world, params.guild_id).id, fieldsOf(json)),
    }),
  ),
  route(
    'DELETE /applications/{application_id}/guilds/{guild_id}/commands/{command_id}',
    'commands',
    ({ world, commands }, { params }) => {
      commands.remove(memberGuild(world, params.guild_id).id, params.command_id ?? '');
      return done;
    },
  ),
  route('GET /guilds/{guild_id}/auto-moderation/rules', 'other', ({ world }, { params }) => {
    const guild = memberGuild(world, params.guild_id);
    const granted = basePermissions(guild, world.bot.id) ?? 0n;
    if ((granted & PermissionFlagsBits.ManageGuild) === 0n) throw refusals.missingPermissions();
    if (guild.moderation.words.length === 0) return ok([]);
    return ok([
      {
        id: guild.id,
        guild_id: guild.id,
        creator_id: guild.ownerId,
        name: 'Blocked words',
        event_type: 1,
        actions: [{ type: 1, metadata: {} }],
        trigger_type: 1,
        trigger_metadata: { keyword_filter: guild.moderation.words, regex_patterns: [], allow_list: [] },
        enabled: true,
        exempt_roles: [],
        exempt_channels: [],
      },
    ]);
  }),
  route('GET /channels/{channel_id}/thread-members/{user_id}', 'other', ({ world }, { params }) => {
    const channel = world.channel(params.channel_id ?? '');
    requireBotPermissions(world, channel, 0n);
    const id = params.user_id ?? '';
    if (!channel.thread?.members.has(id)) throw refusals.unknownMember();
    return ok({ id: channel.id, user_id: id, join_timestamp: iso(channel.thread.createdAt), flags: 0 });
  }),
  route('DELETE /channels/{channel_id}', 'other', ({ world }, { params }) => {
    const channel = world.channel(params.channel_id ?? '');
    requireBotPermissions(
      world,
      channel,
      channel.thread ? PermissionFlagsBits.ManageThreads : PermissionFlagsBits.ManageChannels,
    );
    world.channels.delete(channel.id);
    world.changed();
    return ok(channelBody(world, channel));
  }),
];

function memberGuild(world: World, id = '') {
  const guild = world.guilds.get(id);
  if (!guild?.hasBot) throw refusals.missingAccess();
  return guild;
}
