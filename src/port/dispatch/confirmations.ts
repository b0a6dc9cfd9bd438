import { sleep } from '../../lib/clock.ts';
import { nowOrLater } from '../../lib/local-faults.ts';
import { once } from '../../lib/once.ts';
import { type Address, channelKey, conversationKey, type MessageAddress } from '../address.ts';
import { type AnyCommand, actionId, type CommandCall, type Job, parseActionId } from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import { answerAddress, isConfidential, seenBy } from '../commands/private.ts';
import type { Reply } from '../commands/reply.ts';
import { PlatformError, refusalOf } from '../post/platform-error.ts';
import { admit } from './checks/admission.ts';
import { type WatchedCommand, whenAbandoned } from './command-watch.ts';
import type {
  CommandRequest,
  Decision,
  DispatcherDependencies,
  DispatcherWords,
  Jobs,
  PreparedRequest,
  PressRequest,
  Removal,
} from './dispatcher-dependencies.ts';
import { type Backlog, type BacklogSlot, mostWaiting } from './order/backlog.ts';
import type { Admitted, Refusal } from './rules.ts';
import type { CallerEvent, Runner } from './runner.ts';
import { unrecordedRequest } from './unrecorded-request.ts';

/**
 * How long a question can be answered, in milliseconds. On Discord one that only its person sees is edited by its
 * interaction's token, which is over after 15 minutes.
 */
export const questionLife = 12 * 60_000;

/** Waits between looks for the message of a question that's being posted, in milliseconds. */
const looksForMessage = [25, 50, 100, 200, 400];

/** The buttons under a question: the command, nothing, or what else may have been meant. */
export const questionAnswers = ['yes', 'no', 'instead'] as const;
export type QuestionAnswer = (typeof questionAnswers)[number];

/** A command that its requester is asked about, and the one that they may have meant instead. */
type Asked = Admitted & Pick<Job, 'instead'>;

/** A question that's about to be asked. */
type Asking = Pick<PreparedRequest & { readonly kind: 'accepted' }, 'record' | 'abandon' | 'run'>;

/** Takes a slot among those that wait, as commands do. */
const asQuestion = { name: 'question', queues: true } as const;

/** Asks the requester to confirm a command: it stays recorded until they answer, and the answer counts once. */
export class Confirmations<Dependencies> {
  readonly #dependencies: DispatcherDependencies<Dependencies>;
  readonly #runner: Runner<Dependencies>;
  readonly #backlog: Backlog;

  constructor(
    dependencies: DispatcherDependencies<Dependencies>,
    runner: Runner<Dependencies>,
    backlog: Backlog,
  ) {
    this.#dependencies = dependencies;
    this.#runner = runner;
    this.#backlog = backlog;
  }

  /**
   * Prepares a question about a command, or which of two is meant: it's on record before it's acknowledged. Where as many
   * wait in a place for a person as commands may, it takes the place of the oldest: who dismisses one doesn't answer it.
   */
  async ask(
    command: AnyCommand<Dependencies>,
    admitted: Asked,
    request: CallerEvent,
    watched: WatchedCommand,
  ): Promise<Refusal | Asking> {
    const { jobs, words } = this.#dependencies;
    const { tooManyWaiting } = words(request.requester.locale);
    // One counts as the command that runs.
    const slot = await this.#backlog.enter(asQuestion, request, tooManyWaiting, async () => 1);
    if ('kind' in slot) return slot;
    const { instead } = admitted;
    const job = {
      ...this.#runner.jobOf(command, admitted.values, request),
      ...(instead && { instead }),
    };
    const record = once(async () => {
      try {
        const isNew = await jobs.add(job, request.eventId, 'asking');
        request.onRecorded?.();
        if (isNew) await this.#makeRoom(job);
        return isNew;
      } finally {
        slot.leave();
      }
    });
    return {
      record,
      abandon: async (why) => {
        slot.leave();
        watched.ended(whenAbandoned(why));
        await jobs.endAsked(job.id);
      },
      run: (reply) =>
        watched.during(async () => {
          if (!(await record())) return this.#runner.notNew(job, request, reply, watched);
          await this.#put(job, this.#message(command, job, admitted), request, reply, watched);
        }),
    };
  }

  /** Asks what's on record. Where that can't be done now it's left to those who tell people later. */
  async #put(
    job: Job,
    question: Message,
    { eventId }: CallerEvent,
    reply: Pick<Reply, 'say'>,
    watched: WatchedCommand,
  ): Promise<void> {
    const { jobs, answers, notifyLater, takeAway } = this.#dependencies;
    // It's asked where that can't be known: nothing is bought by a question that was deleted.
    const isDeleted = async () =>
      (await this.#runner.isDeleted(job, eventId)) ||
      (await jobs.find(job.id).catch(() => undefined))?.deleted !== undefined;
    if (await isDeleted()) {
      watched.ended({ outcome: 'canceled' });
      return void (await jobs.endAsked(job.id));
    }
    let said: MessageAddress;
    try {
      said = await reply.say(question);
    } catch (error) {
      if (refusalOf(error)) await jobs.endAsked(job.id);
      else {
        watched.ended('goes-on');
        return notifyLater({ ...job, isAsking: true }, error, undefined, { outcome: 'failed' });
      }
      throw error;
    }
    watched.ended('goes-on');
    await nowOrLater(async () => {
      await answers.note(job.id, [said]);
      await jobs.asked(job.id);
    }, this.#dependencies);
    // Its message may have been deleted while it was posted, or the same press has asked anew.
    if (await isDeleted()) await takeAway?.(job);
  }

  /** What a job whose requester has yet to be asked about it asks them; undefined where it may not be carried out. */
  async questionOf(job: Job): Promise<Message | undefined> {
    const command = this.#runner.known(job.command);
    const { instead, address, requester } = job;
    const verdict = await admit(this.#dependencies, command, job.options, { address, requester });
    if (verdict.kind === 'refused' || (verdict.question === undefined && !instead)) return undefined;
    return this.#message(command, job, { ...verdict, ...(instead && { instead }) });
  }

  #message(command: AnyCommand<Dependencies>, job: Job, asked: Asked): Message {
    const { question = '', cost = '', instead } = asked;
    const words = this.#dependencies.words(job.requester.locale);
    if (!instead) return questionOf(command, job, question, words);
    const button = buttonsOf(command, job);
    const { text, order, instead: other } = words.either;
    return {
      text: text(command.name),
      buttons: [button('yes', order(command.name, cost)), button('instead', other)],
    };
  }

  /** Takes back a question that isn't answered: one that a press gave, where the same press asks anew. */
  async withdraw(which: Parameters<Jobs['withdrawAsked']>[0]): Promise<void> {
    const { jobs, takeAway } = this.#dependencies;
    // What fails of this is done when unanswered questions end; the platform may take long.
    for (const job of await jobs.withdrawAsked(which)) takeAway?.(job).catch(() => {});
  }

  /** Withdraws what was asked first where more wait in a place for a person than commands may. */
  async #makeRoom({ id: own, requester, address }: Job): Promise<void> {
    const { jobs, clock } = this.#dependencies;
    const others = (await jobs.askedOf(requester.id, clock.now() - questionLife))
      .filter(({ id }) => id !== own)
      .filter((job) => conversationKey(job.address) === conversationKey(address));
    for (const { id } of others.slice(mostWaiting - 1)) await this.withdraw({ id });
  }

  /**
   * The press that plain words stand for, in reply to a question or right after it in the same place, by the person who was
   * asked; `repeated` where they've answered one before, and undefined where they're a message like any other.
   */
  async pressInWords(request: CommandRequest): Promise<PressRequest | 'repeated' | undefined> {
    const { jobs, clock, decisionIn } = this.#dependencies;
    const { said, address, requester, eventId } = request;
    const decision = said && decisionIn?.(said.text);
    if (!decision) return undefined;
    // An answer may come until the question's time is over, and its event once more after that.
    if (await jobs.hasAnswered(eventId, clock.now() - 2 * questionLife)) return 'repeated';
    const job =
      said.replyTo === undefined
        ? await this.#askedLast(address, requester)
        : await this.#askedIn(address, said.replyTo);
    const answer = job?.requester.id === requester.id && answerOf(decision, job);
    if (!job || !answer || !isSameSession(job.address, address)) return undefined;
    // One that only its person sees may have no address: it keeps its buttons, which order nothing any more.
    const message = (await this.#messageOf(job)) ?? { ...address, message: '' };
    return { eventId, actionId: actionId(job.command, answer, job.id), address, message, requester };
  }

  /**
   * The job about which a person was asked in the place where they write, if nothing else was given there since; in their
   * own direct messages with the bot, in any thread of those.
   */
  async #askedLast(address: Address, { id, direct }: CommandRequest['requester']): Promise<Job | undefined> {
    const { jobs, clock } = this.#dependencies;
    const isHere = (other: Address) => this.#placesOf(other).some((one) => here.includes(one));
    const here = this.#placesOf(address);
    const isInChannel = (other: Address) => channelKey(other) === channelKey(address);
    for (const job of await jobs.askedOf(id, clock.now() - questionLife))
      if (job.address.platform === address.platform && isHere(await this.#shownAt(job)))
        return (await jobs.isFollowed(job, direct ? isInChannel : isHere)) ? undefined : job;
    return undefined;
  }

  #placesOf(address: Address): readonly string[] {
    return this.#dependencies.adapters(address.platform)?.placesOf?.(address) ?? [conversationKey(address)];
  }

  /** Where a question stands: in the place that it's about, unless it was sent to its person's direct messages. */
  async #shownAt(job: Job): Promise<Address> {
    const message = await this.#messageOf(job);
    return message && channelKey(message) !== channelKey(job.address) ? message : job.address;
  }

  /** The message of a question, which people may answer a moment before it's on record. */
  async #messageOf({ id, isAsking }: Job): Promise<MessageAddress | undefined> {
    const { answers, clock } = this.#dependencies;
    let message = (await answers.messagesOf(id)).at(-1);
    for (const wait of isAsking ? looksForMessage : []) {
      if (message) break;
      await sleep(clock, wait);
      message = (await answers.messagesOf(id)).at(-1);
    }
    return message;
  }

  async #askedIn({ platform }: Address, message: string): Promise<Job | undefined> {
    const { jobs, answers } = this.#dependencies;
    for (const id of await answers.jobsWith({ platform, messages: [message] }))
      if (await jobs.awaitsConfirmation(id)) return jobs.find(id);
    return undefined;
  }

  /** Prepares the answer to a confirmation; it takes effect once, when recorded or run. */
  async answer(
    answer: QuestionAnswer,
    job: Job,
    request: PressRequest,
    words: DispatcherWords,
  ): Promise<PreparedRequest> {
    const { answers, closeQuestion } = this.#dependencies;
    const { question, either, notYours, tooManyWaiting, buttonExpired } = words;
    const pressedAt = this.#dependencies.clock.now();
    if (request.requester.id !== job.requester.id) return { kind: 'refused', text: notYours };
    if (pressedAt > job.createdAt + questionLife) {
      const isAnswered = await this.#dependencies.jobs.isAnswered(job.id);
      return { kind: 'refused', text: isAnswered ? question.answered : question.tooOld, isOver: true };
    }
    const call = answer === 'instead' ? job.instead : { command: job.command, options: job.options };
    if (!call) return { kind: 'refused', text: buttonExpired };
    const command = this.#runner.known(call.command);
    // A button for the command that was ordered doesn't order the one that is asked about by now.
    const isAboutOther = answer === 'yes' && parseActionId(request.actionId)?.command !== job.command;
    if (isAboutOther || !(await this.#dependencies.jobs.awaitsConfirmation(job.id)))
      return { kind: 'refused', text: question.answered };
    const verdict =
      answer === 'no' ? undefined : await admit(this.#dependencies, command, call.options, request);
    if (verdict?.kind === 'refused') return verdict;
    // Its price stands on no button yet.
    if (answer === 'instead' && verdict?.question !== undefined) {
      const asked = { command: command.name, options: verdict.values };
      const next = questionOf(command, job, verdict.question, words);
      return this.#askNext(asked, next, job, request);
    }
    const slot = await this.#backlog.enter(
      answer === 'no' ? { name: 'no' } : command,
      request,
      tooManyWaiting,
    );
    if ('kind' in slot) return slot;
    // What was asked about has the values with which its price was told.
    const options = verdict && answer === 'instead' ? verdict.values : call.options;
    const chosen = verdict && { command: command.name, options };
    const closed: Removal = {
      message: request.message,
      shows: {
        text: !chosen ? question.declined : answer === 'instead' ? either.saidInstead : question.said,
      },
    };
    const counts = this.#answerOnce(chosen, job, request, slot, closed);
    const accepted = {
      kind: 'accepted',
      record: async () => {
        await counts();
        request.onRecorded?.();
        // If another answer came first, nothing can be lost; the person is notified when this one runs.
        return true;
      },
      abandon: async () => {
        slot.leave();
        await this.#dependencies.jobs.reopenConfirmation(job, request.eventId, closed);
      },
    } as const;
    const answered = { text: question.answered };
    if (!verdict || !chosen) {
      const run = async (reply: Reply) => {
        if (!(await counts())) return reply.whisper(answered);
        this.#runner.ended(job, { outcome: 'canceled' });
        if ((await closeQuestion(closed)) === 'kept') await reply.whisper({ text: question.declined });
      };
      return { ...accepted, seenBy: 'nobody', run };
    }
    return {
      ...accepted,
      call: chosen,
      seenBy: seenBy(command, options),
      // Words that answer have nothing of their own that hides what comes of them.
      ...(isConfidential(command, options) && { isConfidential: true }),
      run: async (reply) => {
        if (!(await counts())) return reply.whisper(answered);
        slot.begin();
        const watched = this.#runner.arrived(command.name, request, pressedAt);
        await watched.recorded(job.id);
        // It says what was chosen from now on, and whoever deletes it doesn't mean the answer.
        for (const asked of await answers.messagesOf(job.id)) await answers.forget(asked);
        await closeQuestion(closed);
        const { eventId } = request;
        const address = answerAddress(options, request.address, job.requester);
        const again = { ...job, ...chosen, address, eventId };
        await this.#runner.carryOut(command, again, verdict.settings, reply, watched).finally(slot.leave);
      },
    };
  }

  /** The question becomes one about the other command, which has to be confirmed, too. */
  #askNext(call: CommandCall, question: Message, job: Job, request: PressRequest): PreparedRequest {
    const run = async (reply: Reply) => {
      await this.#dependencies.jobs.askAbout(job.id, call);
      if (!(await this.#showInstead(request, question))) await reply.whisper(question);
    };
    return { kind: 'accepted', seenBy: 'nobody', ...unrecordedRequest(), run };
  }

  /** Records an answer once and returns whether it is the first; if not, leaves its slot. */
  #answerOnce(
    chosen: CommandCall | undefined,
    job: Job,
    { eventId }: PressRequest,
    slot: BacklogSlot,
    closed: Removal,
  ): () => Promise<boolean> {
    return once(async () => {
      let counts = false;
      try {
        counts = await this.#dependencies.jobs.confirm(job.id, chosen, eventId, closed);
      } finally {
        if (!counts) slot.leave();
      }
      return counts;
    });
  }

  /** Shows another question in the place of one; false if that can't be done: a private message can't be edited everywhere. */
  async #showInstead({ message }: PressRequest, content: Message): Promise<boolean> {
    try {
      await this.#dependencies.adapters(message.platform)?.edit(message, content);
      return true;
    } catch (error) {
      if (error instanceof PlatformError) return false;
      throw error;
    }
  }
}

/** Whether a message asks for somebody's decision. */
export function isQuestion({ buttons = [] }: Message): boolean {
  return buttons.some(({ id }) => parseActionId(id)?.action === 'yes');
}

/** On the console everybody is the same person: what's private is its session's. */
function isSameSession({ onlyFor, platformData }: Address, other: Address): boolean {
  return onlyFor === undefined || platformData?.session === other.platformData?.session;
}

/** The button that says what words decide; undefined if there's none under a job's question. */
function answerOf(decision: Decision, { command, instead }: Job): QuestionAnswer | undefined {
  const isEither = instead !== undefined && instead.command !== command;
  if (decision.kind === 'order') return isEither && decision.command === command ? 'yes' : undefined;
  return (decision.kind === 'instead') === isEither ? decision.kind : undefined;
}

function buttonsOf({ name }: Pick<AnyCommand<never>, 'name'>, { id }: Pick<Job, 'id'>) {
  return (answer: QuestionAnswer, label: string) => ({
    id: actionId(name, answer, id),
    label,
    ...(answer === 'yes' && { style: 'primary' as const }),
  });
}

/** Whether a command may spend what it costs. */
function questionOf(
  command: Pick<AnyCommand<never>, 'name'>,
  job: Pick<Job, 'id'>,
  text: string,
  { question }: DispatcherWords,
): Message {
  const button = buttonsOf(command, job);
  return { text, buttons: [button('yes', question.yes), button('no', question.no)] };
}
