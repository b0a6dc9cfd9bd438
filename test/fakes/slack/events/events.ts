import { asJson } from '../messages/messages.ts';
import type { Channel, Json, Message, Workspace } from '../records.ts';
import type { World } from '../world.ts';

/** An event in its callback, as Slack sends it to the app. */
export function eventCallback(world: World, workspace: Workspace, event: Json): Json {
  const channel = workspace.channels.get(String(event.channel));
  return {
    token: 'deprecated-verification-token',
    // The workspace that owns the channel; only `authorizations` says whose installation gets the event.
    team_id: channel?.teamId ?? workspace.id,
    context_team_id: workspace.id,
    context_enterprise_id: workspace.enterpriseId ?? null,
    api_app_id: world.appId,
    event: withOptional(world, event),
    type: 'event_callback',
    event_id: world.id('Ev'),
    event_time: Math.floor(world.clock.now() / 1_000),
    authorizations: [authorization(workspace, organizationInstall(world, workspace))],
    is_ext_shared_channel: channel !== undefined && channel.teamId !== workspace.id,
  };
}

/** Fields that the examples of Slack's pages leave out (app_mention, message). */
const rarelyTold = ['blocks', 'channel_type', 'client_msg_id', 'parent_user_id', 'team'];
const lackedByMost = ['attachments', 'bot_id', 'bot_profile', 'edited', 'files', 'subtype', 'thread_ts'];

function withOptional({ optionalFields }: World, event: Json): Json {
  const isMessage = event.type === 'message' || event.type === 'app_mention';
  if (!isMessage || optionalFields === 'told') return event;
  if (optionalFields === 'null')
    return { ...Object.fromEntries([...rarelyTold, ...lackedByMost].map((name) => [name, null])), ...event };
  return Object.fromEntries(Object.entries(event).filter(([name]) => !rarelyTold.includes(name)));
}

/** Whose installation a payload is for. */
export function authorization(workspace: Workspace, organization: boolean): Json {
  return {
    enterprise_id: workspace.enterpriseId ?? null,
    team_id: organization ? null : workspace.id,
    user_id: workspace.botUser,
    is_bot: true,
    is_enterprise_install: organization,
  };
}

/** Whether the app is in this workspace by an installation of its whole organization. */
export function organizationInstall(world: World, workspace: Workspace): boolean {
  const active = [...world.installations.values()].filter((one) => one.state === 'active');
  return (
    !active.some((one) => one.teamId === workspace.id) &&
    active.some((one) => one.enterpriseId !== undefined && one.enterpriseId === workspace.enterpriseId)
  );
}

/** Slack’s own message to a channel’s members about a change of its settings. */
export function changeEvent(
  world: World,
  channel: Channel,
  user: string,
  subtype:
    | 'channel_archive'
    | 'channel_unarchive'
    | 'channel_posting_permissions'
    | 'channel_convert_to_private',
): Json {
  const ts = world.ts();
  return {
    type: 'message',
    subtype,
    ts,
    user,
    text: 'changed the channel',
    channel: channel.id,
    event_ts: ts,
    channel_type: channel.kind,
  };
}

/** Slack’s event that a message is changed, or gone; `before`: what it was. */
export function messageChangeEvent(
  world: World,
  workspace: Workspace,
  message: Message,
  before: Json,
  isGone = false,
): Json {
  const ts = world.ts();
  return {
    type: 'message',
    subtype: isGone ? 'message_deleted' : 'message_changed',
    hidden: true,
    channel: message.channel,
    channel_type: workspace.channels.get(message.channel)?.kind,
    ts,
    event_ts: ts,
    ...(isGone ? { deleted_ts: message.ts } : { message: asJson(world, workspace, message, false) }),
    previous_message: before,
  };
}

const subscriptions = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
} as const;

/** The events of a person’s message: `message` for members, and `app_mention`. */
export function messageEvents(
  world: World,
  workspace: Workspace,
  channel: Channel,
  message: Message,
): Json[] {
  if (!channel.members.has(workspace.botUser)) return [];
  const { settings } = world;
  const author = workspace.users.get(message.user);
  const root = message.threadTs === undefined ? undefined : channel.messages.get(message.threadTs);
  const { metadata: _, ...shown } = asJson(world, workspace, message, false);
  const common: Json = {
    ...shown,
    client_msg_id: world.secret(''),
    ...(author && author.teamId !== workspace.id
      ? { user_team: author.teamId, source_team: author.teamId }
      : {}),
    channel: channel.id,
    event_ts: message.ts,
    ...(root && root !== message ? { parent_user_id: root.user } : {}),
    ...(message.files.length > 0 ? { upload: false } : {}),
  };
  const events: Json[] = [];
  const subscription = subscriptions[channel.kind];
  if (settings.events.has(subscription)) {
    const subtype = message.files.length > 0 ? { subtype: 'file_share' } : {};
    events.push({ ...common, ...subtype, channel_type: channel.kind });
  }
  const isTold = message.files.length === 0 || world.readings.mentionWithFiles === 'works';
  // Of an app also in its blocks and attachments (slack-go#961).
  const { text, blocks, attachments } = message;
  const said = author?.bot ? JSON.stringify([text, blocks, attachments]) : text;
  const mentioned = isTold && said.includes(`<@${workspace.botUser}`);
  if (mentioned && channel.kind !== 'im' && settings.events.has('app_mention')) {
    events.push({ ...common, type: 'app_mention' });
  }
  return events;
}

/** Notes the scope without which an event would not have come. */
export function useEventScope(
  world: World,
  event: Json,
  scopes: Readonly<Record<string, string | undefined>>,
) {
  const name =
    event.type === 'message' ? subscriptions[event.channel_type as Channel['kind']] : String(event.type);
  const scope = scopes[name];
  if (scope) world.useScope(scope, `event ${name}`);
}
