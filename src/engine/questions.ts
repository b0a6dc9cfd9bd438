import { once } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import {
  actionId,
  answerAddress,
  type AnyValues,
  type CommandCall,
  conversationKey,
  type Job,
  type Jobs,
  type Message,
  type MessageAddress,
  parseActionId,
  type PreparedRequest,
  type PressRequest,
  refusalOf,
  type Removal,
  type Reply,
  seenBy,
  settlesPress,
} from '../port/index.ts';
import { type Words, words } from '../words/index.ts';
import { admit, type Backlog, type BacklogSlot, mostWaiting } from './admission.ts';
import { type CommandInFlight, whenAbandoned } from './command-watch.ts';
import type { Admitted, Command, DispatcherDependencies, Refusal } from './command.ts';
import { type CallerEvent, onRecord, type PreparedWork, type Runner, unrecorded } from './runner.ts';

/**
 * How long a question can be answered, in milliseconds. On Discord one that only its person sees is edited by its
 * interaction's token, which is over after 15 minutes.
 */
export const questionLife = 12 * 60_000;

/** The buttons under a question: the command, nothing, or what else may have been meant. */
export const questionAnswers = ['yes', 'no', 'instead'] as const;
export type QuestionAnswer = (typeof questionAnswers)[number];

/** A command that its requester is asked about, and the one that they may have meant instead. */
type AskedCommand = Admitted & Pick<Job, 'instead'>;

/** Takes a slot among those that wait, as commands do. */
const asQuestion = { name: 'question', queues: true } as const;

/**
 * Questions to the requester of a command: to confirm it, or which of two they mean. It stays recorded until they answer; the
 * answer counts once, and closes the question.
 */
export class Questions {
  readonly #dependencies: DispatcherDependencies;
  readonly #runner: Runner;
  readonly #backlog: Backlog;

  constructor(dependencies: DispatcherDependencies, runner: Runner, backlog: Backlog) {
    this.#dependencies = dependencies;
    this.#runner = runner;
    this.#backlog = backlog;
  }

  /**
   * Prepares a question about a command, or which of two is meant: it's on record before it's acknowledged. Where as many
   * wait in a place for a person as commands may, it takes the place of the oldest: who dismisses one doesn't answer it.
   */
  async ask(
    command: Command,
    admitted: AskedCommand,
    request: CallerEvent,
    inFlight: CommandInFlight,
  ): Promise<Refusal | PreparedWork> {
    const { jobs } = this.#dependencies;
    // One counts as the command that runs.
    const slot = await this.#backlog.enter(asQuestion, request, async () => 1);
    if ('kind' in slot) return slot;
    const { instead } = admitted;
    const job = {
      ...this.#runner.jobOf(command, admitted.values, request),
      ...(instead && { instead }),
    };
    const add = async () => {
      try {
        const isNew = await jobs.add(job, request.eventId, 'asking');
        if (isNew) await this.#makeRoom(job);
        return isNew;
      } finally {
        slot.leave();
      }
    };
    const put = (reply: Reply) =>
      inFlight.during(() => {
        const question = questionAbout(command, job, admitted, words(request.requester.locale));
        return this.#put(job, question, request, reply, inFlight);
      });
    return {
      abandon: async (why) => {
        slot.leave();
        inFlight.over(whenAbandoned(why));
        await nowOrLater(async () => void (await jobs.endAsked(job.id)), this.#dependencies);
      },
      ...this.#runner.onceOnRecord(request, inFlight, add, put),
    };
  }

  /** Asks what's on record. Where that can't be done now it's left to those who tell people later. */
  async #put(
    job: Job,
    question: Message,
    { eventId }: CallerEvent,
    reply: Pick<Reply, 'say'>,
    inFlight: CommandInFlight,
  ): Promise<void> {
    const { jobs, answers, notifyLater, takeAway } = this.#dependencies;
    // It's asked where that can't be known: nothing is bought by a question that was deleted.
    const isDeleted = async () =>
      (await this.#runner.isDropped(job, eventId)) ||
      (await jobs.find(job.id).catch(() => undefined))?.deleted !== undefined;
    if (await isDeleted()) {
      inFlight.ended({ outcome: 'canceled' });
      return void (await jobs.endAsked(job.id));
    }
    let said: MessageAddress;
    try {
      said = await reply.say(question);
    } catch (error) {
      if (refusalOf(error)) await jobs.endAsked(job.id);
      else {
        inFlight.ended('goes-on');
        return notifyLater({ ...job, isAsking: true }, error, undefined, { outcome: 'failed' });
      }
      throw error;
    }
    inFlight.ended('goes-on');
    await nowOrLater(async () => {
      await answers.note(job.id, [said]);
      await jobs.asked(job.id);
    }, this.#dependencies);
    // Its message may have been deleted while it was posted, or the same press has asked anew.
    if (await isDeleted()) await takeAway?.(job);
  }

  /**
   * What a job whose requester has yet to be asked about it asks them now, and what that promises; undefined where it may not
   * be carried out.
   */
  async questionOf(
    job: Job,
  ): Promise<({ readonly message: Message } & Pick<AskedCommand, 'promised'>) | undefined> {
    const command = this.#runner.known(job.command);
    const { instead, address, requester } = job;
    const verdict = await admit(this.#dependencies.rules, command, job.options, { address, requester });
    if (verdict.kind === 'refused' || (verdict.question === undefined && !instead)) return undefined;
    const asked = { ...verdict, ...(instead && { instead }) };
    const message = questionAbout(command, job, asked, words(requester.locale));
    return { message, ...(verdict.promised && { promised: verdict.promised }) };
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

  /** Prepares the answer to a confirmation; it takes effect once, when recorded or run. */
  async answer(
    answer: QuestionAnswer,
    job: Job,
    request: PressRequest,
    say: Words,
  ): Promise<PreparedRequest> {
    const { answers, changeQuestion } = this.#dependencies;
    const { question, either, notYours, buttonExpired } = say;
    const pressedAt = this.#dependencies.clock.now();
    if (request.requester.id !== job.requester.id) return { kind: 'refused', text: notYours };
    // The same press may come to two processes: the one that's second says nothing.
    const isOnRecord = () => this.#dependencies.jobs.hasAnswered(request.eventId, job.createdAt);
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
      return (await isOnRecord()) ? onRecord : { kind: 'refused', text: question.answered };
    const verdict =
      answer === 'no' ? undefined : await admit(this.#dependencies.rules, command, call.options, request);
    if (verdict?.kind === 'refused') return verdict;
    // Its price stands on no button yet.
    if (answer === 'instead' && verdict?.question !== undefined) {
      const asked = { command: command.name, options: verdict.values };
      const next = questionAbout(command, job, { question: verdict.question }, say);
      return this.#askNext(asked, next, job, request, { text: question.answered });
    }
    const slot = await this.#backlog.enter(answer === 'no' ? { name: 'no' } : command, request);
    if ('kind' in slot) return slot;
    const options = verdict && (answer === 'instead' ? verdict.values : asAsked(call.options, verdict));
    const chosen = options && { command: command.name, options };
    const said = answer === 'instead' ? either.saidInstead(this.#hasFiles(job)) : question.said;
    const text = options ? said : question.declined;
    const isSettled = options !== undefined && settlesPress(request, seenBy(command, options));
    const closed = await this.#showing({ text }, job, request, isSettled);
    // The loading message of a press is settled, also by the next process.
    const acknowledgement = { ...job.acknowledgement, ...(isSettled && request.acknowledgement) };
    const settled = Object.keys(acknowledgement).length > 0 ? { acknowledgement } : {};
    const counts = this.#answerOnce(chosen && { ...chosen, ...settled }, job, request, slot, closed);
    let isFirst = false;
    const accepted = {
      kind: 'accepted',
      record: async () => {
        isFirst = await counts();
        // If another answer came first, nothing can be lost; the person is notified when this one runs.
        return isFirst || !(await isOnRecord());
      },
      abandon: async () => {
        slot.leave();
        // Another process may have taken the same press, and be at work.
        const { jobs } = this.#dependencies;
        const reopen = async () => void (await jobs.reopenConfirmation(job, request.eventId, closed));
        if (isFirst) await nowOrLater(reopen, this.#dependencies);
      },
    } as const;
    const answered = { text: question.answered };
    if (!verdict || !chosen) {
      const run = async (reply: Reply) => {
        if (!(await counts())) return reply.whisper(answered);
        this.#runner.ended(job, { outcome: 'canceled' });
        if ((await changeQuestion(closed)) === 'kept') await reply.whisper({ text: question.declined });
      };
      return { ...accepted, seenBy: 'nobody', run };
    }
    const answerSeenBy = seenBy(command, chosen.options);
    return {
      ...accepted,
      call: chosen,
      seenBy: answerSeenBy,
      answerSeenBy,
      run: async (reply) => {
        if (!(await counts())) return reply.whisper(answered);
        await using inFlight = this.#runner.arrived(command.name, request, pressedAt);
        inFlight.holds(slot);
        slot.begin();
        await inFlight.recorded(job.id);
        // It says what was chosen from now on, and whoever deletes it doesn't mean the answer.
        for (const asked of await answers.messagesOf(job.id)) await answers.forget(asked);
        await changeQuestion(closed);
        const { eventId } = request;
        const address = answerAddress(chosen.options, request.address, job.requester);
        // It may not have been on record yet that it was asked.
        const { isAsking: _, ...confirmed } = job;
        const again = { ...confirmed, ...chosen, ...settled, address, eventId };
        await this.#runner.carryOut(command, again, verdict, reply, inFlight);
      },
    };
  }

  /** Whether a job has files that somebody gave. */
  #hasFiles({ command, options }: Job): boolean {
    const defined = this.#runner.known(command).options;
    return Object.keys(options).some((name) => defined[name]?.type === 'file');
  }

  /** The question becomes one about the other command, which has to be confirmed, too. */
  #askNext(
    call: CommandCall,
    question: Message,
    job: Job,
    request: PressRequest,
    answered: Message,
  ): PreparedRequest {
    const { jobs, answers, changeQuestion } = this.#dependencies;
    const { message } = request;
    const run = async (reply: Reply) => {
      // The process that asked may have died before it recorded where.
      if (message.message !== '' && (await answers.messagesOf(job.id)).length === 0)
        await answers.note(job.id, [message]);
      const shown = await this.#showing(question, job, request);
      if (!(await jobs.askAbout(job.id, call, shown))) return reply.whisper(answered);
      // A private message can't be edited everywhere.
      if ((await changeQuestion(shown)) === 'kept') await reply.whisper(question);
    };
    return { kind: 'accepted', seenBy: 'nobody', ...unrecorded, run };
  }

  /**
   * What a job's question shows from now on, by each address that may reach it: a press's own may reach nothing where the process
   * dies before it's acknowledged, and does so where the answer settles it.
   */
  async #showing(
    shows: Message,
    job: Job,
    { message, settledBy }: PressRequest,
    isSettled = false,
  ): Promise<readonly Removal[]> {
    const { answers, adapters } = this.#dependencies;
    const known = await answers.messagesOf(job.id);
    const isReached = !isSettled || settledBy === undefined;
    // It may not be on record yet that it was asked.
    const asked = isReached ? message : known.length === 0 && adapters(message.platform)?.acknowledged(job);
    return [...(asked ? [asked] : []), ...known].map((one) => ({ message: one, shows, job: job.id }));
  }

  /** Records an answer once and returns whether it is the first; if not, leaves its slot. */
  #answerOnce(
    chosen: (CommandCall & Pick<Job, 'acknowledgement'>) | undefined,
    job: Job,
    { eventId }: PressRequest,
    slot: BacklogSlot,
    closed: readonly Removal[],
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
}

/**
 * The options with which the price of a command was told; a version before may have promised nothing. What it quotes is what the
 * rules let through now, and its model the one that budgets allow by now.
 */
function asAsked({ context: _, ...options }: AnyValues, { values, promised }: Admitted): AnyValues {
  const { context, model } = values;
  return {
    ...promised,
    ...options,
    ...(context !== undefined && { context }),
    ...(model !== undefined && { model }),
  };
}

/** What stands there as long as nobody has answered: what a command costs, or which of two is meant. */
function questionAbout(
  command: Pick<Command, 'name'>,
  job: Pick<Job, 'id'>,
  { question = '', cost = '', instead }: Pick<AskedCommand, 'question' | 'cost' | 'instead'>,
  say: Words,
): Message {
  const button = (answer: QuestionAnswer, label: string) => ({
    id: actionId(command.name, answer, job.id),
    label,
    ...(answer === 'yes' && { style: 'primary' as const }),
  });
  const { yes, no } = say.question;
  if (!instead) return { text: question, buttons: [button('yes', yes), button('no', no)] };
  const { text, order, instead: other } = say.either;
  return {
    text: text(command.name),
    buttons: [button('yes', order(command.name, cost)), button('instead', other)],
  };
}
