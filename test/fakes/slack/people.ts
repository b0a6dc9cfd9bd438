import type { Arguments } from './http/arguments.ts';
import { Failure } from './http/failure.ts';
import type { Json } from './records.ts';
import type { Caller, World } from './world.ts';

/** `auth.test` */
export function authTest(world: World, caller: Caller): Json {
  const { installation } = caller;
  const [workspace = ofOrganization(world, caller)] = world.reach(installation);
  if (!workspace) throw new Failure('account_inactive');
  return {
    url: `https://${workspace.name}.slack.com/`,
    team: workspace.name,
    user: workspace.botName,
    team_id: installation.teamId ?? installation.enterpriseId,
    user_id: workspace.botUser,
    bot_id: workspace.botId,
    ...(workspace.enterpriseId ? { enterprise_id: workspace.enterpriseId } : {}),
    is_enterprise_install: installation.teamId === undefined,
  };
}

/** `bots.info`: an organization's token has to name where the bot is. */
export function botInfo(world: World, { installation }: Caller, args: Arguments): Json {
  const { teamId, enterpriseId, otherApp = world.appId } = installation;
  if (teamId === undefined && args.text('team_id') !== enterpriseId) throw new Failure('team_not_found');
  const here = world.reach(installation).find(({ botId }) => botId === args.required('bot'));
  if (!here) throw new Failure('bot_not_found');
  return { bot: { id: here.botId, user_id: here.botUser, name: here.botName, app_id: otherApp } };
}

/** An organization's token works though it reaches no workspace of it. */
function ofOrganization({ workspaces }: World, { installation: { enterpriseId } }: Caller) {
  if (enterpriseId === undefined) return undefined;
  return [...workspaces.values()].find((one) => one.enterpriseId === enterpriseId);
}

/** `auth.teams.list`: the workspaces that a token reaches, a page at a time. */
export function authTeams(world: World, { installation }: Caller, args: Arguments): Json {
  const limit = args.whole('limit') ?? 100;
  if (limit < 1 || limit > 1_000) throw new Failure('invalid_limit');
  const cursor = args.text('cursor') ?? '';
  const from = cursor === '' ? 0 : Number(/^page:(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(from)) throw new Failure('invalid_cursor');
  const all = world.reach(installation);
  const hasMore = all.length > from + limit;
  return {
    teams: all.slice(from, from + limit).map(({ id, name }) => ({ id, name })),
    response_metadata: { next_cursor: hasMore ? `page:${from + limit}` : '' },
  };
}

/** `usergroups.list`: the members only if requested. */
export function userGroups(world: World, caller: Caller, args: Arguments): Json {
  const team = args.text('team_id');
  const here = world.reach(caller.installation).find(({ id }) => team === undefined || id === team);
  if (!here || (team === undefined && caller.installation.teamId === undefined)) {
    throw new Failure('invalid_arguments');
  }
  return {
    usergroups: [...here.groups.values()].map(({ id, handle, users }) => ({
      id,
      team_id: here.id,
      handle,
      name: handle,
      ...(args.flag('include_users') ? { users: [...users] } : {}),
    })),
  };
}

/** `users.info`: the language only if requested. */
export function userInfo(world: World, caller: Caller, args: Arguments): Json {
  const id = args.required('user');
  const here = world.reach(caller.installation).find((one) => one.users.has(id));
  const user = here?.users.get(id);
  if (!here || !user) throw new Failure('user_not_found');
  return {
    user: {
      id: user.id,
      team_id: user.teamId,
      deleted: user.disabled,
      name: user.name,
      real_name: user.realName,
      profile: { display_name: user.name, real_name: user.realName },
      is_admin: user.admin,
      is_owner: user.owner,
      is_bot: user.bot,
      is_restricted: user.guest,
      is_ultra_restricted: false,
      ...(user.teamId === here.id || world.readings.strangerTold === 'refused' ? {} : { is_stranger: true }),
      ...(args.flag('include_locale') ? { locale: user.locale } : {}),
      ...(user.timeZone === undefined ? {} : { tz: user.timeZone }),
    },
  };
}
