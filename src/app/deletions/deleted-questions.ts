import type { Deliveries } from '../../deliveries/index.ts';
import { isPrivate, type Job, type JobState, type Jobs } from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import type { AnswerVersions } from '../answers/answer-versions.ts';
import { hasEnded } from './deleted-jobs.ts';
import type { ForgottenAnswers } from './forgotten-answers.ts';
import type { RecentDeletions } from './recent-deletions.ts';

export interface DeletedQuestionsDependencies {
  readonly answerVersions: Pick<AnswerVersions, 'forgetText'>;
  readonly deliveries: Pick<Deliveries, 'isOnItsWay'>;
  readonly forgottenAnswers: Pick<ForgottenAnswers, 'forgetSaid'>;
  readonly jobs: Pick<Jobs, 'named'>;
  readonly recent: Pick<RecentDeletions, 'keepEvent' | 'hasEvent' | 'hasPlace' | 'hasQuestion'>;
  readonly renders: Pick<Renders, 'isOpen'>;
}

/**
 * Questions that are deleted before they're on record, which aren't answered, and those whose private answers go on, and stand,
 * without them.
 */
export class DeletedQuestions {
  readonly #dependencies: DeletedQuestionsDependencies;

  constructor(dependencies: DeletedQuestionsDependencies) {
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
    return !hasEnded(state) || (await renders.isOpen(job.id)) || (await deliveries.isOnItsWay(job.id));
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
