import {
  commandFor,
  type Deleted,
  isPrivate,
  type Job,
  type Jobs,
  type LiveAnswers,
  type MessageAddress,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import type { AnswersInProgress } from '../answers/answers-in-progress.ts';
import { answerReadBy } from '../answers/listen.ts';
import { type ImageVersions, rootOf } from '../image-versions.ts';
import type { ForgottenAnswers } from './forgotten-answers.ts';
import type { MissedDeletions } from './missed-deletions.ts';
import type { RecentDeletions } from './recent-deletions.ts';
import type { Removals } from './removals.ts';

export interface DeletionsDependencies {
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly answersInProgress: Pick<AnswersInProgress, 'stop'>;
  readonly forgottenAnswers: Pick<ForgottenAnswers, 'forget' | 'forgetShared'>;
  readonly imageVersions: Pick<ImageVersions, 'withdraw'>;
  readonly jobs: Pick<Jobs, 'find' | 'markDeleted'>;
  readonly missed: Pick<MissedDeletions, 'concerns' | 'ofJob'>;
  readonly recent: Pick<RecentDeletions, 'hasOneOf'>;
  readonly removals: Pick<Removals, 'remove'>;
  readonly renders: Pick<Renders, 'ofJob' | 'cancel' | 'isOpen'>;
}

/** What of a command is deleted. It stops, nothing more is made of it, and what stands of it goes. */
export class Deletions {
  readonly #dependencies: DeletionsDependencies;

  constructor(dependencies: DeletionsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * What of a job was deleted: its question, its answer, or the answer that it reads aloud or is a new version of. That a
   * chat answer is deleted is known at once, though the database doesn't take it yet.
   */
  async of(job: Job): Promise<Job['deleted']> {
    const { jobs, missed } = this.#dependencies;
    if (job.command === commandFor.chat && missed.concerns(job.id)) return 'answer';
    const answer = answerReadBy(job) ?? replacedBy(job);
    const own = (await jobs.find(job.id))?.deleted;
    if (own || answer === undefined) return own;
    const read = (await jobs.find(answer))?.deleted;
    // What stands though its question was deleted is still its requester's, for them alone.
    const isTheirs = isPrivate(job) || job.requester.direct;
    if (read === 'question') return isTheirs ? undefined : answer === replacedBy(job) ? read : 'answer';
    return read && 'answer';
  }

  /** Stops what somebody deleted, or whose question; in whichever process. */
  async stop(job: Job, what: Deleted = 'answer'): Promise<void> {
    const { jobs, answersInProgress } = this.#dependencies;
    // It may have been noted, and then the database was away.
    await jobs.markDeleted(job.id, what);
    await answersInProgress.stop(job.id);
  }

  /**
   * What hasn't been sent to be made of images and videos never is; their announcement goes. Resolves when that's on record:
   * the platform may take long.
   */
  async endRenders(job: Job, what: Deleted): Promise<void> {
    const { imageVersions, jobs, renders } = this.#dependencies;
    if (!(await renders.isOpen(job.id))) return;
    await jobs.markDeleted(job.id, what);
    // It comes to its requester alone, and what stands there stays.
    if (what === 'question') await imageVersions.withdraw(job);
    await renders.cancel(job.id);
    // What fails of this, or is posted now, is taken away when the renders end.
    if (await renders.isOpen(job.id)) this.takeAway(job).catch(() => {});
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
    const { answers, missed, removals } = this.#dependencies;
    await missed.ofJob(job.id);
    const messages = await answers.messagesOf(job.id);
    const before = (await this.of(job)) === 'question' ? await this.#messagesBefore(job) : [];
    const isLeft = ({ message, isKept }: MessageAddress) => isKept || before.includes(message);
    await removals.remove(messages.filter((message) => !isLeft(message)).reverse());
  }

  /** The ids of the messages in which a new version is made, which show the one before. */
  async #messagesBefore(job: Job): Promise<readonly string[]> {
    const root = rootOf(job);
    if (root !== job.id)
      return (await this.#dependencies.answers.messagesOf(root)).map(({ message }) => message);
    return typeof job.options.rewrites === 'string' ? [job.options.rewrites] : [];
  }
}

/** The answer whose message a new version is written in. */
function replacedBy({ options: { rewrites, replaces } }: Job): string | undefined {
  return typeof rewrites === 'string' && typeof replaces === 'string' ? replaces : undefined;
}
