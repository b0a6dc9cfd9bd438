import type { Deliveries } from '../../deliveries/index.ts';
import {
  type Deleted,
  type DeletedMessages,
  isPrivate,
  type Job,
  type JobState,
  type Jobs,
  type LiveAnswers,
  type MessageAddress,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import type { AnswerVersions } from '../answers/answer-versions.ts';
import type { Deletions } from './deletions.ts';
import type { ForgottenAnswers } from './forgotten-answers.ts';
import type { Removals } from './removals.ts';

export interface DeletedJobsDependencies {
  readonly adapters: PlatformAdapters;
  readonly answers: Pick<LiveAnswers, 'forget' | 'messagesOf'>;
  readonly answerVersions: Pick<AnswerVersions, 'forget'>;
  readonly deletions: Pick<Deletions, 'stop' | 'endRenders' | 'takeAway'>;
  readonly deliveries: Pick<Deliveries, 'isOnItsWay'>;
  readonly forgottenAnswers: ForgottenAnswers;
  readonly jobs: Pick<Jobs, 'markDeleted'>;
  readonly removals: Pick<Removals, 'remove'>;
  readonly renders: Pick<Renders, 'ofJob'>;
}

/** Commands of which the platform tells that something is deleted: what runs or waits stops, what has ended is forgotten. */
export class DeletedJobs {
  readonly #dependencies: DeletedJobsDependencies;

  constructor(dependencies: DeletedJobsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Stops a command, or forgets one that has ended; what it still waits to make isn't made. */
  async stopOrForget(
    { job, state }: { readonly job: Job; readonly state: JobState },
    what: Deleted,
    deleted: DeletedMessages,
  ): Promise<void> {
    if (hasEnded(state)) await this.forget(job, what, deleted);
    else await this.#stop(job, state, what);
    await this.#dependencies.deletions.endRenders(job, what);
  }

  /** Stops a command that runs or waits for an answer to its question. */
  async #stop(job: Job, state: JobState, what: Deleted): Promise<void> {
    const { deletions, forgottenAnswers } = this.#dependencies;
    const isAsked = state === 'asking' || state === 'asked';
    // Its conversation may have it already.
    if (!isAsked) await forgottenAnswers.forgetSaid(job, what);
    await deletions.stop(job, what);
    // The platform may take long.
    if (isAsked) deletions.takeAway(job).catch(() => {});
  }

  /**
   * What has ended is forgotten: an answer, or a question with its answer, which stays to be seen. An answer that still waits
   * to be posted goes to its requester alone, or if its question was deleted, to nobody; what stands of it goes. With images
   * or a video goes what else says that they're there. Others can delete nothing of a private answer but its shared copy:
   * only the conversation there forgets that.
   */
  async forget(job: Job, what: Deleted, deleted: DeletedMessages): Promise<void> {
    const { answers, answerVersions, deletions, deliveries, forgottenAnswers, jobs, removals } =
      this.#dependencies;
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
    const isOnItsWay = await deliveries.isOnItsWay(job.id);
    // It may come any moment.
    if (isOnItsWay) await jobs.markDeleted(job.id, what);
    await forgottenAnswers.forget(job, what);
    for (const message of messages) if (isGone(message.message)) await answerVersions.forget(message);
    // What else stands of it only says that it's there, or is the file of a message that's gone.
    const left = messages.filter(
      ({ message, parts = [], isKept }) => !isKept && (!isGone(message) || !parts.every(isGone)),
    );
    const stands = ({ message }: MessageAddress) =>
      !isGone(message) && (results?.length === 1 || messages.some((one) => one.message === message));
    // The platform, which was away, may take long.
    if (results && !results.some(stands)) removals.remove(left.reverse()).catch(() => {});
    // Some platforms tell of each message of a job by itself.
    else if (results)
      for (const message of messages) if (isGone(message.message)) await answers.forget(message);
    if (isOnItsWay) deletions.takeAway(job).catch(() => {});
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

/** Whether a command in a state runs no more, and waits for no decision. */
export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed';
}

/** The ids of a message and of what else belongs to it. */
export function idsOf({ message, parts = [] }: MessageAddress): readonly string[] {
  return [message, ...parts];
}
