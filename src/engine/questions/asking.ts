import { nowOrLater } from '../../lib/local-faults.ts';
import { once } from '../../lib/once.ts';
import {
  conversationKey,
  type Job,
  type Jobs,
  type Message,
  type MessageAddress,
  type PreparedRequest,
  type Reply,
  refusalOf,
} from '../../port/index.ts';
import { words } from '../../words/index.ts';
import { admit, type Refusal } from '../admission.ts';
import type { Command } from '../command.ts';
import { type CommandInFlight, whenAbandoned } from '../command-watch.ts';
import type { DispatcherDependencies } from '../dispatcher-dependencies.ts';
import { type Backlog, mostWaiting } from '../order/backlog.ts';
import type { CallerEvent, Runner } from '../runner.ts';
import { type AskedCommand, questionAbout, questionLife } from './question.ts';

/** A question that's about to be asked. */
type PreparedQuestion = Pick<PreparedRequest & { readonly kind: 'accepted' }, 'record' | 'abandon' | 'run'>;

/** Takes a slot among those that wait, as commands do. */
const asQuestion = { name: 'question', queues: true } as const;

/** Asks the requester to confirm a command, or which of two they mean: it stays recorded until they answer. */
export class Asking {
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
  ): Promise<Refusal | PreparedQuestion> {
    const { jobs } = this.#dependencies;
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
        inFlight.over(whenAbandoned(why));
        await jobs.endAsked(job.id);
      },
      run: (reply) =>
        inFlight.during(async () => {
          if (!(await record())) return this.#runner.notNew(job, request, reply, inFlight);
          await this.#put(
            job,
            questionAbout(command, job, admitted, words(request.requester.locale)),
            request,
            reply,
            inFlight,
          );
        }),
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
}
