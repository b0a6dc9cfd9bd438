import { type CommandDispatcher, GivenUpError, type StartTurn, type Waiting } from '../../../engine/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type Address,
  isPrivate,
  type Person,
  PlatformError,
  type PreparedRequest,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { HomeTab } from '../home/home-tab.ts';
import type { Uploads } from '../media/uploads.ts';
import type { People } from '../people/people.ts';
import type { UserGroups } from '../people/user-groups.ts';
import type { Channels } from '../post/channels/channels.ts';
import type { JoinOffers } from '../post/channels/join-offers.ts';
import { SlackReply } from '../reply/reply.ts';
import type { ReplyContext, ReplyDependencies } from '../reply/reply-context.ts';
import type { Arrivals } from './arrivals.ts';
import type { QuestionContextDependencies } from './context/question-context.ts';
import type { MessageDeletions } from './message-deletions.ts';

/** What the handlers of Slack’s events work with, whichever event it is. */
export interface HandlerServices extends ReplyDependencies, QuestionContextDependencies {
  readonly dispatcher: CommandDispatcher;
  readonly people: People;
  readonly userGroups: UserGroups;
  readonly arrivals: Arrivals;
  readonly deletions: MessageDeletions;
  readonly clock: Clock;
  readonly log: Log;
  /** The prefix of every command’s name. */
  readonly prefix: string;
  readonly api: SlackApi;
  readonly channels: Channels;
  readonly uploads: Pick<Uploads, 'describe'>;
  readonly homeTab: HomeTab;
  readonly joinOffers: JoinOffers;
}

/** The same, and the event that's handled. */
export interface HandlerContext extends HandlerServices {
  /** Until it's on record or refused. */
  readonly waiting: Pick<Waiting, 'answered' | 'isAnswered'>;
  /** Somebody waits for what comes of it. */
  readonly isAwaited: () => void;
  /**
   * Acknowledges what was typed, pressed or sent: call it when that's on record, or won't be. It's acknowledged once, at the
   * latest when its handler has ended; events are only then.
   */
  readonly acknowledge: () => Promise<void>;
  /** Acknowledges a form in two seconds if nothing else does; commands and presses are anyway. */
  readonly acknowledgeSoon: () => void;
}

/** Who sent a request, where, and how to answer them alone. */
export interface SlackCaller {
  readonly address: Address;
  readonly requester: Person;
  readonly eventId: string;
  readonly responseUrl?: string;
}

/** Looks something up for a request without letting the person’s next one overtake it. */
export async function inOrder(
  context: HandlerContext,
  person: string,
  address: Address,
  work: (turn: StartTurn) => Promise<void>,
): Promise<void> {
  const turn = context.dispatcher.takeTurn(person, address);
  try {
    await work(turn);
  } finally {
    if (!turn.claimed) turn.leave();
  }
}

/** How a private command is answered; nothing for others, and where only its requester reads along anyway. */
export async function privatelyAt(
  context: Pick<HandlerContext, 'directMessages' | 'dispatcher'>,
  { workspace, channel }: Address,
  { call, seenBy }: PreparedRequest & { readonly kind: 'accepted' },
): Promise<Pick<ReplyContext, 'privately'>> {
  if (!call || seenBy !== 'requester' || !isPrivate(call)) return {};
  if (await context.directMessages.isOwn(workspace, channel)) return {};
  const command = context.dispatcher.commands.find(({ name }) => name === call.command);
  return { privately: command?.postsFiles ? 'directly' : 'here' };
}

/** Sends something that only this person sees. */
export async function whisperTo(context: HandlerContext, caller: SlackCaller, text: string): Promise<void> {
  await replyIn(context, { ...caller, seenBy: 'requester' }).whisper({ text });
}

/**
 * Handles a request; an error is logged, and the person is told that it failed.
 * @throws what keeps it from being recorded on this machine: the person is told that without the database.
 */
export async function orExplain(
  context: HandlerContext,
  caller: SlackCaller,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof GivenUpError || (isLocal(error) && !context.waiting.isAnswered)) throw error;
    context.log.error({ error }, 'a request in Slack could not be handled');
    await whisperTo(context, caller, sentenceFor(error, caller.requester)).catch(() => undefined);
  }
}

/** What a person is told of an error that kept their request from being handled; without one it took the database too long. */
export function sentenceFor(error: unknown, { locale }: Pick<Person, 'locale'>): string {
  const { errors } = words(locale);
  if (error === undefined || isLocal(error)) return errors.database;
  return error instanceof PlatformError ? errors.unreachable : errors.unexpected;
}

/** Runs a request; whoever waits for it soon sees something. */
export function runVisibly(
  context: HandlerContext,
  prepared: PreparedRequest & { readonly kind: 'accepted' },
  reply: UntimedReply,
): Promise<void> {
  return replyIn(context, reply).during((own) => prepared.run(own));
}

/** A reply to what was asked for just now, unless it says when. */
type UntimedReply = Omit<ReplyContext, 'since'> & Partial<Pick<ReplyContext, 'since'>>;

/** The reply to a request. */
export function replyIn(context: HandlerContext, reply: UntimedReply): SlackReply {
  return new SlackReply(context, { since: context.clock.now(), ...reply });
}
