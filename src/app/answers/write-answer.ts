import { z } from 'zod';
import type { Turn } from '../../conversation/index.ts';
import { BudgetExceededError } from '../../credits/index.ts';
import type { Given, Invocation } from '../../engine/index.ts';
import { untilDone } from '../../lib/clock.ts';
import { unlessLocal } from '../../lib/local-faults.ts';
import { cheapestModel } from '../../place-settings/index.ts';
import {
  type CommandEnd,
  isPrivate,
  type LiveAnswer,
  type MessageAddress,
  refusalOf,
  type RunEnd,
  type StreamOptions,
  turnsOf,
} from '../../port/index.ts';
import { type Ending, isInstead, noteOf, withNote } from '../../reply/index.ts';
import { type ChatModel, chatModels } from '../../service-rules/models.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import { words } from '../../words/index.ts';
import type { CommandDependencies } from '../define-command.ts';
import {
  answerButtons,
  endByError,
  endingByError,
  endingByReason,
  endingByRefusal,
  interruptedEnding,
  isCutByService,
  machineNotes,
  markedEnding,
  removeButton,
} from '../endings.ts';
import {
  madeOf,
  openAnswerThread,
  placeOfAnswer,
  questionOf,
  rewrittenBy,
  spokenBy,
} from '../job-context.ts';
import { beforeAnswer, meteredAnswer } from '../metered-calls.ts';
import { cheaperName, notToldYet, renewal } from '../policy/limits.ts';
import { AnswerGate, AnswerRefusedError } from '../policy/moderation.ts';
import { openVersion, type VersionedAnswer } from './rewrite.ts';

/** What goes along with a question: nobody can type it. */
export const askState = madeOf.extend({
  /** Quotes of the messages that the question refers to. */
  context: z.string().exactOptional(),
  /** The job whose answer this one replaces. */
  replaces: z.string().exactOptional(),
  /** The id of the message whose answer it's a new version of. */
  rewrites: z.string().exactOptional(),
  /** The key of the conversation it belongs to, where a button goes on with one. */
  continues: z.string().exactOptional(),
  /** The price that its person has said yes to, in credits, before its length is known. */
  confirmed: z.number().exactOptional(),
  /** The run of the workflow that asks, which has a conversation of its own. */
  workflow: z.string().exactOptional(),
});

/** The values of `/ask` and its buttons. */
export interface AskValues extends z.infer<typeof askState> {
  readonly prompt: string;
  readonly model?: ChatModel;
  /** The name of the persona that answers, or `none`. */
  readonly as?: string;
  /** In a thread of its own, with a conversation of its own. */
  readonly thread?: boolean;
}

type AskInvocation = Invocation<AskValues>;

/** How often an answer that couldn't be kept is tried again, and after how long, in milliseconds. */
const keepTries = 80;
const keepWaits = { first: 1_000, longest: 8_000 };

/** A conversation grows a little all the time: only a price that has more than doubled is asked about again. */
const mostGrowth = 2;

/** Answers a question live, in its person's turn; the conversation keeps it when it has ended well or was stopped. */
export async function writeAnswer(
  invocation: AskInvocation,
  dependencies: CommandDependencies,
): Promise<RunEnd> {
  const { job, settings, reply, requester, signal } = invocation;
  const { conversations, answersInProgress, deletedQuestions, deletions, logFailure, tracer } = dependencies;
  const say = words(requester.locale, job.address.platform);
  if (await dependencies.botTurns.areCutBy(job)) {
    const cut = { text: say.onlyBots };
    return dependencies.deliveries.deliver(job, cut, () => reply.say(cut));
  }
  const place = await placeOfAnswer(job, settings, dependencies);
  let opened: Promise<boolean> | undefined;
  let lookedAt = 0;
  const options: StreamOptions = {
    ...spokenBy(job),
    buttons: (ending) => answerButtons(job, ending, say, settings.values.buttons),
    // The platform may not have told of the deletion, or told another process.
    onRefused: (error) => {
      if (refusalOf(error) === 'deleted') deletions.stop(job).catch((fault) => logFailure(fault, job));
    },
    onStopped: () => answersInProgress.stopHere(job.id),
    onProgress: ({ messages }) => {
      const added = messages.slice(lookedAt);
      lookedAt = messages.length;
      if (added.length > 0) deletions.stopIfGone(job, added).catch((error) => logFailure(error, job));
      const [first] = messages;
      if (!place.opensThread || !first) return;
      // The answer doesn't wait for its thread, and is there without one.
      opened ??= openAnswerThread(job, place, first, dependencies).catch((error: unknown) => {
        logFailure(error, job);
        return false;
      });
    },
  };
  const message = rewrittenBy(job);
  const live: VersionedAnswer = message
    ? await openVersion(invocation, dependencies, message, options)
    : reply.stream(options);
  const end = await answersInProgress.run(job.id, async (stopped, stop) => {
    const order = {
      person: requester.id,
      atOnce: settings.values.at_once,
      signal: stopped,
      onWait: () => live.hint(say.waitingTurn),
      onStop: stop,
    };
    try {
      const waiting = tracer.start('turn');
      return await conversations
        .turn(place.conversation, questionOf(job), order, async (turn) => {
          waiting.end();
          // Meanwhile, what it goes on with may have been deleted.
          const late = await withdrawn(invocation, dependencies, live);
          if (late) return late;
          live.hint(undefined);
          return write(invocation, dependencies, turn, live, stopped);
        })
        .finally(() => waiting.end());
    } catch (error) {
      const gone = stopped.aborted && (await withdrawn(invocation, dependencies, live));
      if (gone) return gone;
      if (!stopped.aborted) logFailure(error, job);
      const aborted = { byPerson: stopped.aborted, byShutdown: signal.aborted };
      const ending = endingByError(error, aborted, say, requester);
      return finish(invocation, dependencies, live, ending, endByError(error, aborted));
    }
  });
  const hasThread = await opened;
  await deletedQuestions.forgetEnded(job).catch((error: unknown) => logFailure(error, job));
  // The answer is there in any case, unless it was deleted. Where threads are the rule, nobody asked for this one.
  const isWithout = hasThread === false && end !== 'goes-on' && end.outcome === 'done';
  const wasWanted = settings.values.conversation !== 'thread';
  const note = isWithout && wasWanted ? say.threadNotOpened : undefined;
  const text = place.missing ? say.noThreadHere(place.missing.permission) : note;
  if (text !== undefined) await reply.whisper({ text }).catch(() => undefined);
  return end;
}

async function write(
  invocation: AskInvocation,
  dependencies: CommandDependencies,
  turn: Turn,
  live: VersionedAnswer,
  stopped: AbortSignal,
): Promise<RunEnd> {
  const { job, requester, settings, signal } = invocation;
  const { answers, moderation, clock, logFailure } = dependencies;
  const say = words(requester.locale);
  let ending: Ending = { kind: 'done' };
  let end: CommandEnd = { outcome: 'done' };
  let hasBegun = false;
  const gate = new AnswerGate({
    live,
    words: settings.values.blocked_words,
    moderation,
    signal: AbortSignal.any([stopped, signal]),
    // On record first: if this process dies, the next one takes away what's shown.
    onRefused: async (refused) => {
      const instead = endingByRefusal(refused, say, true);
      if (!isInstead(instead)) return;
      await answers.willEnd(job.id, instead).catch((error: unknown) => logFailure(error, job));
    },
    clock,
  });
  try {
    try {
      const wanted = AbortSignal.any([stopped, gate.signal]);
      for await (const event of eventsOf(invocation, dependencies, turn, live, wanted)) {
        hasBegun = true;
        if (event.type === 'text') gate.append(event.text);
        else {
          ending = endingByReason(event.finishReason, say);
          if (isCutByService(event.finishReason)) end = { outcome: 'done', reason: 'service' };
        }
      }
    } finally {
      // What came before a failure, too.
      await gate.end();
    }
  } catch (error) {
    if (error instanceof AnswerRefusedError) {
      const gone = stopped.aborted && (await withdrawn(invocation, dependencies, live, ''));
      if (gone) return gone;
      const refused = endingByRefusal(error.refused, say, live.text.trim() !== '');
      return finish(invocation, dependencies, live, refused, { outcome: 'failed', reason: 'rules' });
    }
    if (error instanceof BudgetExceededError && hasBegun) {
      const note = say.spending.budgetReached(renewal(error.standing, say, requester));
      ending = { kind: 'stopped', note };
      end = { outcome: 'failed', reason: 'budget' };
    } else if (stopped.aborted) {
      const gone = await withdrawn(invocation, dependencies, live);
      if (gone) return gone;
      ending = { kind: 'stopped', note: say.endings.stopped };
      end = { outcome: 'canceled' };
    } else if (signal.aborted && live.text.trim() !== '') {
      ending = interruptedEnding(say);
      end = { outcome: 'interrupted' };
    } else throw error;
  }
  const isEmpty = live.text.trim() === '';
  if (isEmpty && !live.mayBeEmpty) live.append(say.emptyAnswer);
  const notes = () => machineNotes('answer', invocation.job, invocation.settings, dependencies);
  if (!isEmpty) ending = await markedEnding(ending, live.text, notes);
  const keep = () => turn.keep({ text: live.text, ending });
  // People read the answer though it can't be written down now; that is tried again later.
  const isKept = isEmpty || (await keep().then(() => true, unlessLocal));
  const finished = await finish(invocation, dependencies, live, ending, end);
  if (!isKept) await keepLater(dependencies, invocation, keep);
  return finished;
}

/**
 * Ends an answer that somebody deleted, or whose question: nothing more of it comes there, and the conversation doesn't keep
 * it. What was written of an answer, `said`, goes only to its requester. Undefined if nobody deleted it.
 */
async function withdrawn(
  { job }: AskInvocation,
  { deletions, deliveries, logFailure }: CommandDependencies,
  live: LiveAnswer,
  said = live.text,
): Promise<RunEnd | undefined> {
  const deleted = await deletions.of(job);
  if (!deleted) return undefined;
  await live.finish({ kind: 'withdrawn' }).catch((error: unknown) => logFailure(error, job));
  await deletions.takeAway(job);
  const end: CommandEnd = { outcome: 'canceled' };
  if (deleted === 'question' || said.trim() === '') return end;
  const buttons = [removeButton(job, words(job.requester.locale))];
  return deliveries.deliverAlone(job, { text: said, buttons }, end);
}

/**
 * What comes of an answer; by the cheapest model where that goes on and others have used the budget up since it was admitted.
 */
async function* eventsOf(
  { job, options, settings, address, requester, reply, signal }: AskInvocation,
  dependencies: CommandDependencies,
  turn: Turn,
  live: LiveAnswer,
  stopped: AbortSignal,
) {
  const { model = chatModels[0], confirmed = 0 } = options;
  const say = words(requester.locale);
  const { conversationId } = turn;
  const messages = turn.messages(settings.values.persona);
  const mostUnasked = Math.max(confirmed * mostGrowth, settings.values.confirm_over);
  const answerBy = (by: ChatModel) =>
    meteredAnswer(
      dependencies,
      {
        job,
        ...dependencies.limitsFor(requester, settings, by),
        ...{ model: by, messages, conversationId, mostUnasked },
      },
      {
        signal: AbortSignal.any([stopped, signal]),
        ...turnsOf(address, requester),
        onWait: (place) => live.hint(say.waitingPlace(place)),
      },
    );
  const tellOfCheaper = async () => {
    if (await notToldYet(dependencies.firstTime)(cheaperName(address, requester)))
      await reply.whisper({ text: say.spending.goesOnCheaper(cheapestModel) });
  };
  let hasBegun = false;
  try {
    for await (const event of answerBy(model)) {
      hasBegun = true;
      yield event;
    }
  } catch (error) {
    const mayBeCheaper = settings.values.over_budget === 'cheaper' && model !== cheapestModel;
    if (hasBegun || !mayBeCheaper || !(error instanceof BudgetExceededError)) throw error;
    for await (const event of answerBy(cheapestModel)) {
      if (!hasBegun) void tellOfCheaper().catch(() => {});
      hasBegun = true;
      yield event;
    }
  }
}

/** The conversation's next turn waits meanwhile: it couldn't be recorded either. */
async function keepLater(
  { clock, logFailure }: CommandDependencies,
  { job, signal }: Pick<AskInvocation, 'job' | 'signal'>,
  keep: () => Promise<void>,
): Promise<void> {
  const failed = (error: unknown, tries: number) => {
    if (tries >= keepTries) throw error;
  };
  await untilDone(keep, { clock, waits: keepWaits, signal, failed }).catch((error: unknown) =>
    logFailure(error, job),
  );
}

/** Ends the answer where it was written, or brings it to people in another way. */
async function finish(
  { job, requester, settings }: AskInvocation,
  { deliveries, deletions, firstContacts, removals, logFailure }: CommandDependencies,
  live: LiveAnswer,
  given: Ending,
  end: CommandEnd,
): Promise<RunEnd> {
  const read = isInstead(given) ? '' : live.text;
  const ending = await markedEnding(given, read, () =>
    machineNotes('answer', job, settings, { firstContacts }),
  );
  const text = withNote(live.text, ending);
  const note = noteOf(ending);
  const buttons = answerButtons(job, ending, words(requester.locale), settings.values.buttons);
  const speaker = isInstead(ending) ? {} : spokenBy(job);
  const message = { ...speaker, text, ...(note !== undefined && { note }), buttons };
  // A long answer's file comes last, and may take long: an answer deleted meanwhile gets none.
  const takeAwayIfDeleted = async (messages: readonly MessageAddress[]) => {
    const isThere = !isPrivate(job) && messages.some(({ channel }) => channel === job.address.channel);
    if (isThere && (await deletions.of(job))) await deletions.takeAway(job);
  };
  const write = async () => {
    try {
      const messages = await live.finish(ending);
      if (isInstead(ending)) await removals.takeBack(messages.slice(1));
      await takeAwayIfDeleted(messages).catch((fault: unknown) => logFailure(fault, job));
      return messages;
    } catch (error) {
      if (refusalOf(error) === 'deleted')
        await deletions.withdraw(job).catch((fault: unknown) => logFailure(fault, job));
      // Nothing else takes the place of what stands there.
      else if (isInstead(ending))
        await deletions.takeAway(job).catch((fault: unknown) => logFailure(fault, job));
      throw error;
    }
  };
  return deliveries.deliver(job, message, write, end);
}

/**
 * What an answer costs if its turn begins now, up to a first length: all that its request holds counts, what was said
 * before too, as it's reserved then.
 */
export async function priceOfAnswer(
  values: AskValues,
  { address, requester, settings }: Given,
  dependencies: CommandDependencies,
): Promise<CreditRange> {
  const { model = chatModels[0] } = values;
  const job = { id: '', address, requester, options: { ...values } };
  const { conversation } = await placeOfAnswer(job, settings, dependencies);
  const { persona } = settings.values;
  return beforeAnswer(
    model,
    await dependencies.conversations.preview(conversation, questionOf(job), persona),
  );
}
