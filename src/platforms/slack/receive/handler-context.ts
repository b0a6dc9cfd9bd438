import type { Clock } from '../../../lib/clock.ts';
import {
  type Address,
  type Dispatcher,
  type Person,
  PlatformError,
  type StartTurn,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Log } from '../connection/log.ts';
import type { People } from '../people/people.ts';
import type { UserGroups } from '../people/user-groups.ts';
import type { Channels } from '../post/channels.ts';
import { SlackReply } from '../reply/reply.ts';
import type { ReplyContext, ReplyDependencies } from '../reply/reply-context.ts';
import type { RecentEvents } from './recent-events.ts';

/** What the platform needs of the dispatcher. */
export type Commands = Pick<
  Dispatcher<never>,
  'commands' | 'takeTurn' | 'prepare' | 'preparePress' | 'suggest'
>;

/** What those who listen to Slack work with. */
export interface HandlerContext extends ReplyDependencies {
  readonly dispatcher: Commands;
  readonly people: People;
  readonly userGroups: UserGroups;
  readonly recentEvents: RecentEvents;
  readonly clock: Clock;
  readonly log: Log;
  /** What stands before every command's name. */
  readonly prefix: string;
  readonly api: SlackApi;
  readonly channels: Channels;
}

/** Who asked for something, where, and how they can be told something alone. */
export interface SlackCaller {
  readonly address: Address;
  readonly requester: Person;
  readonly eventId: string;
  readonly responseUrl?: string;
}

/** Looks something up about what has come from a person without letting what comes next overtake it. */
export async function inOrder(
  context: HandlerContext,
  person: string,
  address: Address,
  work: (arrival: StartTurn) => Promise<void>,
): Promise<void> {
  const arrival = context.dispatcher.takeTurn(person, address);
  try {
    await work(arrival);
  } finally {
    if (!arrival.claimed) arrival.leave();
  }
}

/** Tells somebody something that they alone see. */
export async function whisperTo(context: HandlerContext, caller: SlackCaller, text: string): Promise<void> {
  await replyIn(context, { ...caller, seenBy: 'requester' }).whisper({ text });
}

/**
 * Does what somebody asked for; where that breaks they are told so, and the log why. What `leave` says is thrown
 * instead: it comes again.
 */
export async function orExplain(
  context: HandlerContext,
  caller: SlackCaller,
  work: () => Promise<void>,
  leave: (error: unknown) => boolean = () => false,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (leave(error)) throw error;
    context.log.error({ error }, 'something asked for in Slack could not be done');
    const { errors } = words(caller.requester.locale);
    const text = error instanceof PlatformError ? errors.unreachable : errors.unexpected;
    await whisperTo(context, caller, text).catch(() => undefined);
  }
}

/** The way to answer. */
export function replyIn(context: HandlerContext, reply: ReplyContext): SlackReply {
  return new SlackReply(context, reply);
}
