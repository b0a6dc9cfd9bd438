import { once } from '../../lib/once.ts';
import {
  answerAddress,
  type CommandCall,
  isConfidential,
  type Job,
  type Message,
  type PreparedRequest,
  type PressRequest,
  parseActionId,
  type Removal,
  type Reply,
  seenBy,
  settlesPress,
} from '../../port/index.ts';
import type { Words } from '../../words/index.ts';
import { admit } from '../admission.ts';
import { unrecordedRequest } from '../command-watch.ts';
import type { DispatcherDependencies } from '../dispatcher-dependencies.ts';
import type { Backlog, BacklogSlot } from '../order/backlog.ts';
import type { Runner } from '../runner.ts';
import { type QuestionAnswer, questionAbout, questionLife } from './question.ts';

/** An answer that another process takes. */
const onRecord: PreparedRequest = {
  ...{ kind: 'accepted', seenBy: 'nobody' },
  record: async () => false,
  abandon: async () => {},
  run: async () => {},
};

/** Takes the answer to a question, which counts once, and closes the question. */
export class Answering {
  readonly #dependencies: DispatcherDependencies;
  readonly #runner: Runner;
  readonly #backlog: Backlog;

  constructor(dependencies: DispatcherDependencies, runner: Runner, backlog: Backlog) {
    this.#dependencies = dependencies;
    this.#runner = runner;
    this.#backlog = backlog;
  }

  /** Prepares the answer to a confirmation; it takes effect once, when recorded or run. */
  async answer(
    answer: QuestionAnswer,
    job: Job,
    request: PressRequest,
    say: Words,
  ): Promise<PreparedRequest> {
    const { answers, changeQuestion } = this.#dependencies;
    const { question, either, notYours, tooManyWaiting, buttonExpired } = say;
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
    const slot = await this.#backlog.enter(
      answer === 'no' ? { name: 'no' } : command,
      request,
      tooManyWaiting,
    );
    if ('kind' in slot) return slot;
    // What was asked about has the values with which its price was told; a version before may have promised nothing.
    const options =
      verdict && answer === 'instead' ? verdict.values : { ...verdict?.promised, ...call.options };
    const chosen = verdict && { command: command.name, options };
    const text = !chosen ? question.declined : answer === 'instead' ? either.saidInstead : question.said;
    const isSettled = chosen !== undefined && settlesPress(request, seenBy(command, options));
    const closed = await this.#showing({ text }, job, request, isSettled);
    // The loading message of a press is settled, also by the next process.
    const acknowledgement = { ...job.acknowledgement, ...(isSettled && request.acknowledgement) };
    const settled = Object.keys(acknowledgement).length > 0 ? { acknowledgement } : {};
    const counts = this.#answerOnce(chosen && { ...chosen, ...settled }, job, request, slot, closed);
    const accepted = {
      kind: 'accepted',
      record: async () => {
        const isFirst = await counts();
        request.onRecorded?.();
        // If another answer came first, nothing can be lost; the person is notified when this one runs.
        return isFirst || !(await isOnRecord());
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
        if ((await changeQuestion(closed)) === 'kept') await reply.whisper({ text: question.declined });
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
        await using inFlight = this.#runner.arrived(command.name, request, pressedAt);
        inFlight.holds(slot);
        slot.begin();
        await inFlight.recorded(job.id);
        // It says what was chosen from now on, and whoever deletes it doesn't mean the answer.
        for (const asked of await answers.messagesOf(job.id)) await answers.forget(asked);
        await changeQuestion(closed);
        const { eventId } = request;
        const address = answerAddress(options, request.address, job.requester);
        // It may not have been on record yet that it was asked.
        const { isAsking: _, ...confirmed } = job;
        const again = { ...confirmed, ...chosen, ...settled, address, eventId };
        await this.#runner.carryOut(command, again, verdict.settings, reply, inFlight);
      },
    };
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
    return { kind: 'accepted', seenBy: 'nobody', ...unrecordedRequest(), run };
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
