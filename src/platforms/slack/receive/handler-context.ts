import { GivenUpError, type Waiting } from '../../../engine/index.ts';
import { isLocal } from '../../../lib/local-faults.ts';
import {
  type AcceptedRequest,
  type Address,
  type AnyValues,
  type CommandAbout,
  type Form,
  isPrivate,
  type Person,
  type RawValues,
} from '../../../port/index.ts';
import { explainUnbegun, words } from '../../../words/index.ts';
import { isAnswerLost, platformError } from '../api/errors.ts';
import { type FormOrigin, modalOf } from '../commands/form.ts';
import type { FirstSign } from '../reply/live-answer.ts';
import type { ReplyContext } from '../reply/reply-context.ts';
import { SlackReply } from '../reply/reply.ts';
import type { SlackServices } from '../services.ts';
import { slackWords } from '../words.ts';
import { type ChannelMembership, refusalOf } from './channel-membership.ts';

/** What the handlers of Slack’s events work with: all there is of Slack, and the event that's handled. */
export interface HandlerContext extends SlackServices {
  /** Until it's on record or refused. */
  readonly waiting: Pick<Waiting, 'answered' | 'isAnswered'>;
  /** Somebody waits for what comes of it. */
  readonly isAwaited: () => void;
  /**
   * Acknowledges what was typed, pressed or sent: call it when that's on record, or won't be. It's acknowledged once, at the
   * latest when its handler has ended; events are only then.
   */
  readonly acknowledge: () => Promise<void>;
}

/** Who sent a request, where, and how to answer them alone. */
export interface SlackCaller {
  readonly address: Address;
  readonly requester: Person;
  readonly eventId: string;
  readonly responseUrl?: string;
  /** Shows them already that it’s being done. */
  readonly sign?: FirstSign;
}

/** How an accepted request is carried out. */
interface CarriedOut {
  readonly caller: SlackCaller;
  /** Where the bot may post what comes of it. */
  readonly membership: ChannelMembership;
  /** Tells the person why nothing comes of it. */
  readonly refuse: (why: string) => Promise<void>;
  /** Does it; it's on record and acknowledged. The reply is to go on with what the request's own event says. */
  readonly run: (reply: SlackCaller & Pick<ReplyContext, 'seenBy' | 'privately'>) => Promise<void>;
}

/**
 * Carries out what was accepted, in the one order that all of Slack's events have: refused where the bot can't post what
 * comes of it, before anything is spent; then on record, once; then acknowledged and done.
 */
export async function carryOut(
  context: HandlerContext,
  prepared: AcceptedRequest,
  { caller, membership, refuse, run }: CarriedOut,
): Promise<void> {
  const { address, requester } = caller;
  const { seenBy } = prepared;
  const privately = await privatelyAt(context, address, prepared);
  const botName = await context.botName(address.workspace);
  const why = privately.privately
    ? undefined
    : refusalOf(membership, slackWords(requester.locale), botName, seenBy);
  if (why !== undefined) {
    await prepared.abandon('refused');
    return refuse(why);
  }
  if (!(await prepared.record())) return;
  if (!prepared.isUnrecorded) await context.acknowledge();
  await run({ ...caller, seenBy, ...privately });
}

/** A command by its name; undefined where there is none. */
export function commandNamed(
  { dispatcher }: HandlerContext,
  wanted: string | undefined,
): CommandAbout | undefined {
  return dispatcher.commands.find(({ name }) => name === wanted);
}

/** The words that a command was given with, such as a question. */
export function textOf(command: CommandAbout | undefined, options: AnyValues | RawValues): string {
  return String(options[command?.textOption ?? ''] ?? '');
}

/** The words that the line above an answer quotes. Text that comes with files quotes them already. */
export function quotedText(command: CommandAbout | undefined, options: AnyValues | RawValues): string {
  return command?.postsFiles ? '' : textOf(command, options);
}

/** How a private command is answered; nothing for others, and where only its requester reads along anyway. */
async function privatelyAt(
  context: HandlerContext,
  { workspace, channel }: Address,
  { call, seenBy }: AcceptedRequest,
): Promise<Pick<ReplyContext, 'privately'>> {
  if (!call || seenBy !== 'requester' || !isPrivate(call)) return {};
  if (await context.directMessages.isOwn(workspace, channel)) return {};
  return { privately: commandNamed(context, call.command)?.postsFiles ? 'directly' : 'here' };
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
  const say = words(locale);
  if (error === undefined || isLocal(error)) return say.errors.database;
  return explainUnbegun(error, say);
}

/** Runs a request; whoever waits for it soon sees something. */
export function runVisibly(
  context: HandlerContext,
  prepared: AcceptedRequest,
  reply: UntimedReply,
): Promise<void> {
  return replyIn(context, reply).during((own) => prepared.run(own));
}

/** A reply to what was asked for just now, unless it says when. */
type UntimedReply = Omit<ReplyContext, 'since'> &
  Partial<Pick<ReplyContext, 'since'>> &
  Pick<SlackCaller, 'sign'>;

/** The reply to a request. */
export function replyIn(context: HandlerContext, { sign, ...reply }: UntimedReply): SlackReply {
  return new SlackReply(context, { since: context.clock.now(), ...reply }, sign);
}

/** Opens a form for the person who caused the trigger; within three seconds of it. */
export async function openForm(
  context: HandlerContext,
  form: Form,
  origin: FormOrigin,
  trigger: string,
  caller: SlackCaller,
): Promise<void> {
  const { workspace } = caller.address;
  const { locale } = caller.requester;
  const command = commandNamed(context, form.command);
  if (!command) throw new Error(`a form for the unknown command ${form.command}`);
  const found = form.fields.map(async (option) => {
    const suggestions = context.dispatcher.suggest(form.command, option, '', locale, caller.address);
    return [option, await suggestions] as const;
  });
  const suggestions = new Map(await Promise.all(found));
  const suggest = (option: string) => suggestions.get(option) ?? [];
  const namesPeople = form.fields.some((name) => {
    const option = command.options[name];
    return option?.type === 'text' && option.people;
  });
  const groups = namesPeople ? await context.userGroups.of(workspace) : [];
  const areGroupsUnreadable = namesPeople && (await context.userGroups.areUnreadable(workspace));
  const view = modalOf({ form, command, origin, locale, suggest, groups, areGroupsUnreadable });
  try {
    // A form that a window’s button opens lies above that window.
    const isAbove = origin.kind === 'press' && Boolean(origin.view);
    await context.api.call(workspace, isAbove ? 'views.push' : 'views.open', { trigger_id: trigger, view });
  } catch (error) {
    const known = platformError(error);
    if (known.kind !== 'expired' && !isAnswerLost(error)) throw known;
    await whisperTo(context, caller, slackWords(caller.requester.locale).tooLate);
  }
}
