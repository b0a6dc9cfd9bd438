import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import type { Channel, Json, Message, Workspace } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { asJson } from './messages.ts';

/** `conversations.open`: direct messages with one person. */
export function openConversation(world: World, caller: Caller, args: Arguments): Json {
  const users = (args.text('users') ?? '').split(',').filter(Boolean);
  const [user] = users;
  if (!user) throw new Failure('users_list_not_supplied');
  if (users.length > 1) throw new Failure('too_many_users');
  const workspace = world.reach(caller.installation).find((one) => one.users.has(user));
  if (!workspace || workspace.users.get(user)?.bot) throw new Failure('user_not_found');
  if (workspace.users.get(user)?.disabled) throw new Failure('user_disabled');
  return { channel: { id: world.directMessages(workspace, user).id } };
}

/** `conversations.info` */
export function conversationInfo(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel } = world.readable(caller, args.required('channel'), 'read');
  return { channel: channelJson(world, workspace, channel) };
}

/** `conversations.members`: the bot among them, 100 in a page unless asked for more, which is less than 1,000. */
export function members(world: World, caller: Caller, args: Arguments): Json {
  const { channel } = world.readable(caller, args.required('channel'), 'read');
  const limit = args.whole('limit') ?? 100;
  if (limit < 1 || limit > 999) throw new Failure('invalid_limit');
  const start = readCursor(args.text('cursor'));
  const all = [...channel.members];
  const page = all.slice(start, start + limit);
  return { members: page, response_metadata: { next_cursor: cursorAfter(start + limit, all) } };
}

/** Where the next page begins; empty after the last one. */
function cursorAfter(end: number, all: readonly unknown[]): string {
  return end < all.length ? Buffer.from(`next:${end}`).toString('base64') : '';
}

/** `conversations.join`: public channels only. */
export function joinConversation(world: World, caller: Caller, args: Arguments): Json {
  const found = world.find(caller, args.required('channel'));
  if (!found) throw new Failure('channel_not_found');
  const { workspace, channel } = found;
  if (channel.kind === 'group') throw new Failure('channel_not_found');
  if (channel.kind !== 'channel') throw new Failure('method_not_supported_for_channel_type');
  if (channel.archived) throw new Failure('is_archived');
  channel.members.add(workspace.botUser);
  return { channel: channelJson(world, workspace, channel) };
}

/** `conversations.history`: newest first, without replies. */
export function history(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel } = world.readable(caller, args.required('channel'), 'history');
  const roots = [...channel.messages.values()].filter((one) => !one.threadTs || one.threadTs === one.ts);
  return page(world, workspace, roots.reverse(), args);
}

/** `conversations.replies`: the root first, then its replies from old to new. */
export function replies(world: World, caller: Caller, args: Arguments): Json {
  const { workspace, channel } = world.readable(caller, args.required('channel'), 'history');
  const ts = args.required('ts');
  const root = channel.messages.get(ts);
  if (!root) throw new Failure('thread_not_found');
  const rest = world.replies(channel, ts).filter((message) => message !== root);
  return page(world, workspace, [root, ...rest], args);
}

function page(world: World, workspace: Workspace, all: readonly Message[], args: Arguments): Json {
  const asked = args.whole('limit') ?? 100;
  if (asked < 1 || asked > 999) throw new Failure('invalid_limit');
  const limit = world.readings.quickHistory === 'works' ? asked : Math.min(asked, limits.slowHistory);
  const inclusive = args.flag('inclusive');
  const oldest = bound(args, 'oldest');
  const latest = bound(args, 'latest');
  const within = all.filter((message) => {
    const ts = Number(message.ts);
    if (oldest !== undefined && (inclusive ? ts < oldest : ts <= oldest)) return false;
    return latest === undefined || (inclusive ? ts <= latest : ts < latest);
  });
  const start = readCursor(args.text('cursor'));
  const metadata = args.flag('include_all_metadata');
  return {
    messages: within.slice(start, start + limit).map((one) => asJson(world, workspace, one, metadata)),
    has_more: start + limit < within.length,
    response_metadata: { next_cursor: cursorAfter(start + limit, within) },
  };
}

function bound(args: Arguments, name: 'oldest' | 'latest'): number | undefined {
  const value = args.text(name);
  if (value === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(value)) throw new Failure(`invalid_ts_${name}`);
  return Number(value);
}

function readCursor(cursor: string | undefined): number {
  if (!cursor) return 0;
  const match = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString());
  if (!match) throw new Failure('invalid_cursor');
  return Number(match[1]);
}

/** A channel as methods show it. One that workspaces of an organization share is the organization’s. */
export function channelJson(world: World, workspace: Workspace, channel: Channel): Json {
  const within = [...world.workspaces.values()].filter(
    ({ enterpriseId, channels }) => enterpriseId === workspace.enterpriseId && channels.has(channel.id),
  );
  const others = [...world.workspaces.values()].filter(
    (one) => one !== workspace && one.channels.has(channel.id),
  );
  const isInside = ({ enterpriseId }: Workspace) =>
    enterpriseId !== undefined && enterpriseId === workspace.enterpriseId;
  return {
    id: channel.id,
    name: channel.name,
    is_shared: others.length > 0,
    is_org_shared: others.some(isInside),
    is_ext_shared: !others.every(isInside),
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_im: channel.kind === 'im',
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'channel',
    is_archived: channel.archived,
    ...(world.readings.channelSettingsTold === 'works' && {
      is_read_only: channel.readOnly,
      is_thread_only: channel.threads === 'only',
    }),
    is_member: channel.members.has(workspace.botUser),
    context_team_id: within.length > 1 ? (workspace.enterpriseId ?? workspace.id) : workspace.id,
    internal_team_ids: world.readings.channelWorkspacesTold === 'works' ? within.map(({ id }) => id) : [],
  };
}
