import type { Arguments } from '../http/arguments.ts';
import { Failure } from '../http/failure.ts';
import { limits } from '../http/limits.ts';
import { needReading } from '../readings.ts';
import type { Channel, Json, Message } from '../records.ts';
import type { Caller, World } from '../world.ts';
import { endStatus } from './messages.ts';

export const sessionStates: readonly string[] = ['active', 'processing', 'suspended', 'closed'];

/** `agents.sessions.setStatus`: a session is made by the first one; later titles are ignored. */
export function setSessionStatus(world: World, caller: Caller, args: Arguments): Json {
  needReading(world.readings, 'agentSessions');
  const channel = sessionChannel(world, caller, args);
  const threadTs = threadOf(args);
  world.root(channel, threadTs, 'invalid_thread_ts');
  const status = args.required('status');
  if (!sessionStates.includes(status)) throw new Failure('invalid_status');
  const initiator = args.text('initiator_user_id');
  if (initiator !== undefined && !channel.members.has(initiator)) throw new Failure('user_not_found');
  const title = readTitle(args.text('title'));
  const key = sessionKey(channel.id, threadTs);
  const session = { title, initiator, ...world.sessions.get(key), status };
  world.sessions.set(key, session);
  // A processing session and a status share the same spot on the screen.
  if (status === 'processing') endStatus(world, channel.id, threadTs, 'replaced');
  return {
    status,
    ...(session.title === undefined ? {} : { title: session.title }),
    agent_status: status,
    ...(hearsStops(world) ? {} : warned(world, 'missing_agent_session_stopped_event_subscription')),
  };
}

/** `agents.sessions.rename` */
export function renameSession(world: World, caller: Caller, args: Arguments): Json {
  needReading(world.readings, 'agentSessions');
  const channel = sessionChannel(world, caller, args);
  if (channel.archived) throw new Failure('is_archived');
  const session = world.sessions.get(sessionKey(channel.id, threadOf(args)));
  if (!session) throw new Failure('session_not_found');
  session.title = readTitle(args.required('title'));
  return {};
}

/** A channel the bot is in; one that it sees without being in it is refused by another code. */
function sessionChannel(world: World, caller: Caller, args: Arguments): Channel {
  const found = world.find(caller, args.required('channel_id'));
  if (!found) throw new Failure('channel_not_found');
  const { channel, workspace } = found;
  if (!channel.members.has(workspace.botUser))
    throw new Failure(channel.kind === 'channel' ? 'not_authorized' : 'channel_not_found');
  if (channel.kind !== 'im') needReading(world.readings, 'agentSessionsInChannel');
  return channel;
}

/** A stream begins or ends the work of its thread's session. */
export function moveSession(world: World, channel: string, threadTs: string, status: string): void {
  if (!world.settings.agent || world.readings.agentSessions === 'refused') return;
  const key = sessionKey(channel, threadTs);
  world.sessions.set(key, { title: undefined, initiator: undefined, ...world.sessions.get(key), status });
}

/** Slack's own Stop button: ends the streams of a thread at work; the event that tells the app. */
export function stopSession(world: World, channel: Channel, threadTs: string, user: string): Json {
  const session = world.sessions.get(sessionKey(channel.id, threadTs));
  if (session?.status !== 'processing' || !hearsStops(world)) throw new Error('there is no Stop button');
  const streams = world.replies(channel, threadTs).filter(({ stream }) => stream?.state === 'streaming');
  for (const { stream } of streams as (Message & { stream: NonNullable<Message['stream']> })[])
    stream.state = 'stopped by a person';
  return {
    type: 'agent_session_stopped',
    channel: channel.id,
    user,
    thread_ts: threadTs,
    streaming_message_ts: streams.map(({ ts }) => ts),
    event_ts: world.ts(),
  };
}

export function sessionKey(channel: string, threadTs: string): string {
  return `${channel} ${threadTs}`;
}

function hearsStops({ settings, readings }: World): boolean {
  return settings.events.has('agent_session_stopped') && readings.stopEvent === 'works';
}

/** How Slack warns of something in an answer that is well otherwise. */
function warned({ readings }: World, code: string): Json {
  return {
    ...(readings.warningAtTop === 'works' && { warning: code }),
    response_metadata: { warnings: [code] },
  };
}

function threadOf(args: Arguments): string {
  const threadTs = args.text('thread_ts');
  if (threadTs === undefined || threadTs === '') throw new Failure('thread_ts_required');
  return threadTs;
}

function readTitle(title: string | undefined): string | undefined {
  if ((title?.length ?? 0) > limits.sessionTitle) throw new Failure('invalid_arguments');
  return title;
}
