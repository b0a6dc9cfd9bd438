import {
  commandFor,
  type Deleted,
  type DeletedMessages,
  isPrivate,
  type Job,
  type JobState,
  type MessageAddress,
} from '../../port/index.ts';
import { InputError } from '../faults/explain.ts';
import { replacedBy, rewrittenBy, rootOf, sourcesOf } from '../job-context.ts';
import type { DeletionDependencies, ForgottenAnswers } from './forgotten-answers.ts';

type Dependencies = DeletionDependencies & { readonly forgottenAnswers: ForgottenAnswers };

/** What of a command is deleted. It stops, nothing more is made of it, and what stands of it goes. */
export class Deletions {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * What of a job was deleted: its question, its answer, or the answer that it reads aloud, is a new version of or takes its
   * image from. That a chat answer is deleted is known at once, though the database doesn't take it yet.
   */
  async of(job: Job): Promise<Job['deleted']> {
    const { jobs, missed } = this.#dependencies;
    if (job.command === commandFor.chat && missed.concerns(job.id)) return 'answer';
    return (await jobs.find(job.id))?.deleted ?? this.ofSource(job);
  }

  /**
   * What was deleted of the answers, images or messages that a job is made from; undefined where it's made from none. Where it
   * replaces another answer or image, that stays as after the deletion of a question, unless it was deleted itself.
   */
  async ofSource(job: Job): Promise<Job['deleted']> {
    const replaced = replacedBy(job);
    for (const source of sourcesOf(job)) {
      const read = await this.#deletedOf(source);
      // What stands though its question was deleted is still its requester's, and only theirs.
      const isStillTheirs = read === 'question' && (isPrivate(job) || job.requester.direct);
      if (read === undefined || isStillTheirs) continue;
      if (source === replaced) return read;
      return replaced === undefined ? 'answer' : 'question';
    }
    return undefined;
  }

  /** What of a job or a message was deleted. */
  async #deletedOf(source: string): Promise<Job['deleted']> {
    const { conversations, jobs } = this.#dependencies;
    const job = await jobs.find(source);
    // What stands of it stays.
    if (job) return job.deleted === 'data' ? undefined : job.deleted;
    const gone = await conversations.deletedOf([source]);
    return gone.length > 0 ? 'answer' : undefined;
  }

  /** @throws {InputError} if something of what a job is made from was deleted. */
  async expectSource(job: Job): Promise<void> {
    if (await this.ofSource(job)) throw new InputError((say) => say.errors.resultGone);
  }

  /** Stops what somebody deleted, or whose question; in whichever process. */
  async stop(job: Job, what: Deleted = 'answer'): Promise<void> {
    const { jobs, answersInProgress } = this.#dependencies;
    // It may have been noted, and then the database was away.
    await jobs.markDeleted(job.id, what);
    await answersInProgress.stop(job.id);
  }

  /** What's only announced isn't made, unless it's being made already: a clip, or images and videos, maybe not begun yet. */
  async endAnnounced(job: Job, what: Deleted): Promise<void> {
    await this.#dependencies.jobs.markDeleted(job.id, what);
    await this.endRenders(job, what);
  }

  /**
   * What hasn't been sent to be made of images and videos never is; their announcement goes. Resolves when that's on record:
   * the platform may take long.
   */
  async endRenders(job: Job, what: Deleted): Promise<void> {
    const { jobs, renders } = this.#dependencies;
    if (!(await renders.isOpen(job.id))) return;
    await jobs.markDeleted(job.id, what);
    await renders.cancel(job.id);
    // What fails of this, or is posted now, is taken away when the renders end.
    if (await renders.isOpen(job.id)) this.takeAway(job).catch(() => {});
  }

  /**
   * What jobs make from something that's deleted: as `endRenders`, and their requester is told why nothing comes of what
   * hadn't been sent.
   */
  async endRendersMadeFrom(ids: readonly string[]): Promise<void> {
    const { jobs, renders } = this.#dependencies;
    for (const id of new Set(ids)) {
      const job = (await renders.isOpen(id)) && (await jobs.find(id));
      const what = job && (await this.ofSource(job));
      if (!what) continue;
      await renders.cancel(id, 'source-gone');
      if (!isPrivate(job) && !job.requester.direct) await this.endRenders(job, what);
    }
  }

  /**
   * Images and videos that still wait for their turn aren't made where the platform doesn't know their announcement any more.
   * Where they don't wait, the bot itself may have put their result in its place.
   */
  async endQueued(job: Job): Promise<void> {
    const renders = await this.#dependencies.renders.ofJob(job.id);
    if (renders.some(({ state }) => state === 'reserved')) await this.endRenders(job, 'answer');
  }

  /** Stops an answer one of whose messages was deleted before it was on record. */
  async stopIfGone(job: Job, messages: readonly MessageAddress[]): Promise<void> {
    if (await this.#dependencies.recent.hasOneOf(messages)) await this.stop(job);
  }

  /**
   * Takes back what's shared of a private answer if one of its messages was deleted before all of it was on record.
   * @returns whether that's so.
   */
  async unshareIfGone(job: Job, messages: readonly MessageAddress[]): Promise<boolean> {
    // Some have no id that the bot knows.
    const known = new Map(messages.filter(({ message }) => message !== '').map((one) => [one.message, one]));
    if (known.size === 0 || !(await this.#dependencies.recent.hasOneOf([...known.values()]))) return false;
    await this.unshare(job, [...known.values()]);
    return true;
  }

  /** Takes back these messages, in which a private answer is shared. */
  async unshare(job: Job, messages: readonly MessageAddress[]): Promise<void> {
    const { forgottenAnswers, removals } = this.#dependencies;
    await forgottenAnswers.forgetShared(job, messages);
    await removals.remove(messages.toReversed());
  }

  /** Forgets an answer that somebody deleted when it was written, and takes away what is left of it. */
  async withdraw(job: Job): Promise<void> {
    await this.#dependencies.forgottenAnswers.forget(job);
    await this.takeAway(job);
  }

  /**
   * Takes away what is left of a job's answer, as far as the platform lets it; what it can't remove now, later. What that is
   * the database knows: a deletion that waits for it is waited for. What stood before its question was deleted stays.
   */
  async takeAway(job: Job): Promise<void> {
    const { answers, imageVersions, missed, removals } = this.#dependencies;
    await missed.ofJob(job.id);
    const messages = await answers.messagesOf(job.id);
    const before = await this.messagesBefore(job);
    if (before.length > 0) await imageVersions.withdraw(job);
    const isLeft = ({ message, isKept }: MessageAddress) => isKept || before.includes(message);
    await removals.remove(messages.filter((message) => !isLeft(message)).reverse());
  }

  /** The ids of the messages in which a new version was to be, whose question was deleted: they show the one before. */
  async messagesBefore(job: Job): Promise<readonly string[]> {
    if ((await this.of(job)) !== 'question') return [];
    const root = rootOf(job);
    if (root !== job.id)
      return (await this.#dependencies.answers.messagesOf(root)).map(({ message }) => message);
    const rewritten = rewrittenBy(job);
    return rewritten ? [rewritten.message] : [];
  }

  /** Stops a command, or forgets one that has ended; what it still waits to make isn't made. */
  async stopOrForget(
    { job, state }: { readonly job: Job; readonly state: JobState },
    what: Deleted,
    deleted: DeletedMessages,
  ): Promise<void> {
    if (hasEnded(state)) await this.forget(job, what, deleted);
    else {
      await this.#stopUnended(job, state, what);
      // It may just have become a version of an answer.
      const isGone = deleted.place ?? deleted.messages.includes(rewrittenBy(job)?.message ?? '');
      if (isGone && what === 'answer') await this.forgetVersion(job);
    }
    await this.endRenders(job, what);
  }

  /** Forgets what a job wrote as a new version of an answer whose message was deleted, with all others in it. */
  async forgetVersion(job: Job): Promise<void> {
    const { answerVersions } = this.#dependencies;
    await answerVersions.forgetText(job.id);
    const rewritten = rewrittenBy(job);
    if (rewritten) await answerVersions.forget(rewritten);
  }

  /** Stops a command that runs or waits for an answer to its question. */
  async #stopUnended(job: Job, state: JobState, what: Deleted): Promise<void> {
    const isAsked = state === 'asking' || state === 'asked';
    // Its conversation may have it already.
    if (!isAsked) await this.#dependencies.forgottenAnswers.forgetSaid(job, what);
    await this.stop(job, what);
    // The platform may take long.
    if (isAsked) this.takeAway(job).catch(() => {});
  }

  /**
   * What has ended is forgotten: an answer, or a question with its answer, which stays to be seen. An answer that still waits
   * to be posted goes only to its requester, or if its question was deleted, to nobody; what stands of it goes. With images
   * or a video goes what else says that they're there. Others can delete nothing of a private answer but its shared copy:
   * only the conversation there forgets that.
   */
  async forget(job: Job, what: Deleted, deleted: DeletedMessages): Promise<void> {
    const { answers, answerVersions, deliveries, forgottenAnswers, jobs, removals } = this.#dependencies;
    const isGone = (message: string) => deleted.messages.includes(message);
    const messages = await answers.messagesOf(job.id);
    if (what === 'answer') await this.#removeThreadNames(messages.filter(({ message }) => isGone(message)));
    const results = what === 'question' ? undefined : await this.#resultsOf(job);
    // What's gone is their announcement, or the notice that they're there.
    if (results && !results.flatMap(idsOf).some(isGone)) return;
    if (what !== 'question' && isPrivate(job)) {
      const isSharedThere = ({ message, isShared }: MessageAddress) =>
        isShared && (deleted.place || isGone(message));
      return forgottenAnswers.forgetShared(job, messages.filter(isSharedThere));
    }
    const isOnItsWay = await deliveries.isOnItsWay(job);
    // It may come any moment.
    if (isOnItsWay) await jobs.markDeleted(job.id, what);
    await forgottenAnswers.forget(job, what);
    for (const message of messages)
      if (isGone(message.message) || (deleted.place && what === 'answer'))
        await answerVersions.forget(message);
    // What else stands of it only says that it's there, or is the file of a message that's gone.
    const left = messages.filter(({ message, isKept }) => !isKept && !isGone(message));
    const stands = ({ message }: MessageAddress) =>
      !isGone(message) && (results?.length === 1 || messages.some((one) => one.message === message));
    // The platform, which was away, may take long.
    if (results && !results.some(stands)) removals.remove(left.reverse()).catch(() => {});
    // Some platforms tell of each message of a job by itself.
    else if (results)
      for (const message of messages) if (isGone(message.message)) await answers.forget(message);
    if (isOnItsWay) this.takeAway(job).catch(() => {});
  }

  /**
   * What's gone isn't known as a message of its job any more: it comes last, since a job is found by it. What's only gone with
   * its announcement stands, and is found by that.
   */
  async forgetMessages(job: Job, { messages, place }: DeletedMessages): Promise<void> {
    if (isPrivate(job)) return;
    const isGone = (message: string) => messages.includes(message);
    const results = await this.#resultsOf(job);
    if (results && !results.flatMap(idsOf).some(isGone)) return;
    const { answers } = this.#dependencies;
    for (const one of await answers.messagesOf(job.id))
      if ((place && !results) || isGone(one.message)) await answers.forget(one);
  }

  /** The messages with a job's images or video; undefined where it makes none. */
  async #resultsOf(job: Job): Promise<readonly MessageAddress[] | undefined> {
    const renders = await this.#dependencies.renders.ofJob(job.id);
    if (renders.length === 0) return undefined;
    return renders.flatMap(({ delivered }) => delivered ?? []);
  }

  /** A thread that the bot opened is named by the words of the message that it's under. */
  async #removeThreadNames(gone: readonly MessageAddress[]): Promise<void> {
    const { adapters, removals } = this.#dependencies;
    for (const message of gone) {
      const hasThread = await adapters(message.platform)?.hasThread(message);
      if (hasThread) removals.remove([message]).catch(() => {});
    }
  }
}

/**
 * Questions that are deleted before they're on record, which aren't answered, and those whose private answers go on, and stand,
 * without them.
 */
export class DeletedQuestions {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether a command that comes only now isn't carried out, since its question or its place was deleted before. */
  async isDropped(event: string, job: Job): Promise<boolean> {
    const { recent } = this.#dependencies;
    const isAnotherGone = job.question !== event && (await this.#isQuestionGone(job));
    if (!isPrivate(job)) return isAnotherGone || recent.hasQuestion(event, job.address);
    if (await recent.hasPlace(job.address)) return true;
    if (isAnotherGone || (await recent.hasEvent(event))) await this.forgetAtEnd(job);
    return false;
  }

  /** Whether the question of a job that a press gave was deleted, maybe before that was on record. */
  async #isQuestionGone({ question }: Job): Promise<boolean> {
    if (question === undefined) return false;
    const { jobs, recent } = this.#dependencies;
    if (await recent.hasEvent(question)) return true;
    return (await jobs.named([], [question])).some(({ job }) => job.deleted === 'question');
  }

  /** Whether what stands of a job stands without its question, which was deleted, maybe while it was under way. */
  async hasLostQuestion({ question, deleted }: Job): Promise<boolean> {
    if (deleted === 'question' || question === undefined) return deleted === 'question';
    return this.#dependencies.recent.hasEvent(question);
  }

  /**
   * Whether a command goes on though its question was deleted: what only its requester sees, who doesn't want others to read
   * what they asked for.
   */
  async goesOn(job: Job, state: JobState): Promise<boolean> {
    if (!isPrivate(job)) return false;
    const { deliveries, renders } = this.#dependencies;
    return !hasEnded(state) || (await renders.isOpen(job.id)) || (await deliveries.isOnItsWay(job));
  }

  /** What goes on though its question was deleted is forgotten: what its conversation has of it now, and the rest at its end. */
  async forgetAtEnd(job: Job): Promise<void> {
    if (job.question !== undefined) await this.#dependencies.recent.keepEvent(job.question);
    await this.#dependencies.forgottenAnswers.forgetSaid(job, 'question');
  }

  /** Forgets what an answer said whose question was deleted while it was under way. */
  async forgetEnded(job: Job): Promise<void> {
    if (!isPrivate(job) || !(await this.hasLostQuestion(job))) return;
    await this.#dependencies.forgottenAnswers.forgetSaid(job, 'question');
    await this.#dependencies.answerVersions.forgetText(job.id);
  }
}

/** Whether a command in a state runs no more, and waits for no decision. */
export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed';
}

/** The ids of a message and of what else belongs to it. */
export function idsOf({ message, parts = [] }: MessageAddress): readonly string[] {
  return [message, ...parts];
}
