import type { Readings } from '../readings.ts';
import { applicationBody } from '../serialize/serialize-application.ts';
import { ownGuildBody } from '../serialize/serialize-guild.ts';
import { channelBody, memberBody, userBody } from '../serialize/serialize.ts';
import type { World } from '../world.ts';
import { type Fields, isFields } from './fields.ts';
import { refusals } from './refusal.ts';
import { done, fieldsOf, ok, type Route, route } from './route.ts';

/** The bot itself, its servers, its commands, and the gateway's address. */
export const applicationRoutes: readonly Route[] = [
  route('GET /gateway/bot', 'gateway', ({ gatewayInfo }) => ok(gatewayInfo())),
  route('GET /users/@me', 'other', ({ world }) =>
    ok({ ...userBody(world.bot), mfa_enabled: false, locale: 'en-US', verified: true, email: null }),
  ),
  route('GET /users/@me/guilds', 'other', ({ world }, { query }) => {
    const own = [...world.guilds.values()].filter(({ hasBot }) => hasBot);
    const limit = Number(query.get('limit') ?? 200);
    return ok(own.slice(0, limit).map((guild) => ownGuildBody(guild, world.bot.id)));
  }),
  route('GET /users/{user_id}', 'other', ({ world }, { params }) =>
    ok(userBody(world.user(params.user_id ?? ''))),
  ),
  route('GET /applications/@me', 'other', ({ world }) => ok(applicationBody(world))),
  route('GET /oauth2/applications/@me', 'other', ({ world }) => ok(applicationBody(world))),
  route('POST /users/@me/channels', 'other', ({ world }, { json }) => {
    const channel = world.directChannel(world.user(String(fieldsOf(json).recipient_id)));
    if (world.isFlaggedForSpam && channel.messageCount === 0) throw refusals.flaggedForSpam();
    return ok(channelBody(world, channel));
  }),
  route('DELETE /users/@me/guilds/{guild_id}', 'other', ({ world }, { params }) => {
    const guild = world.guild(params.guild_id ?? '');
    guild.members.delete(world.bot.id);
    guild.hasBot = false;
    return done;
  }),
  route('GET /guilds/{guild_id}/members/{user_id}', 'other', ({ world }, { params }) => {
    const guild = world.guild(params.guild_id ?? '');
    if (!guild.hasBot) throw refusals.missingAccess();
    const member = guild.members.get(params.user_id ?? '');
    if (!member) throw refusals.unknownMember();
    return ok({ ...memberBody(member), user: userBody(world.user(member.userId)) });
  }),
  route('GET /applications/{application_id}/commands', 'commands', ({ world, commands }, { query }) =>
    ok(shown(commands.list('global'), query, world.readings)),
  ),
  route('PUT /applications/{application_id}/commands', 'commands', ({ commands }, { json }) =>
    ok(commands.overwrite('global', json)),
  ),
  route('POST /applications/{application_id}/commands', 'commands', ({ commands }, { json }) => ({
    status: 201,
    body: commands.create('global', fieldsOf(json)),
  })),
  route(
    'DELETE /applications/{application_id}/commands/{command_id}',
    'commands',
    ({ commands }, { params }) => {
      commands.remove('global', params.command_id ?? '');
      return done;
    },
  ),
  route(
    'GET /applications/{application_id}/guilds/{guild_id}/commands',
    'commands',
    ({ world, commands }, { params, query }) =>
      ok(shown(commands.list(memberGuild(world, params.guild_id)), query, world.readings)),
  ),
  route(
    'GET /applications/{application_id}/guilds/{guild_id}/commands/permissions',
    'commands',
    ({ world, commands }, { params }) => ok(commands.permissions(memberGuild(world, params.guild_id))),
  ),
  route(
    'PUT /applications/{application_id}/guilds/{guild_id}/commands',
    'commands',
    ({ world, commands }, call) =>
      ok(commands.overwrite(memberGuild(world, call.params.guild_id), call.json)),
  ),
];

function memberGuild(world: World, id = ''): string {
  const guild = world.guilds.get(id);
  if (!guild?.hasBot) throw refusals.missingAccess();
  return guild.id;
}

/**
 * Registered commands include their other languages only on request (`with_localizations`), and perhaps no types of files.
 */
function shown(
  commands: readonly Fields[],
  query: URLSearchParams,
  { fileTypesOnRead }: Readings,
): readonly Fields[] {
  const isHidden = (name: string) =>
    (name.endsWith('_localizations') && query.get('with_localizations') !== 'true') ||
    (name === 'file_types' && fileTypesOnRead === 'refused');
  return commands.map((command) => without(command, isHidden));
}

function without(holder: Fields, isHidden: (name: string) => boolean): Fields {
  const entries = Object.entries(holder)
    .filter(([name]) => !isHidden(name))
    .map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((item) => (isFields(item) ? without(item, isHidden) : item)) : value,
    ]);
  return Object.fromEntries(entries) as Fields;
}
