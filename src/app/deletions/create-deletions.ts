import { type Conversations, messageSource, placeSource } from '../../conversation/index.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { commandFor, type DeletedMessages, type Jobs, type LiveAnswers } from '../../port/index.ts';
import type { AnswersInProgress } from '../answers/answers-in-progress.ts';
import { AnswerDeletion, type AnswerDeletionDependencies } from './delete-answer.ts';
import { DeletedPlaces, type DeletedPlacesDependencies } from './deleted-places.ts';
import {
  DeletedJobs,
  type DeletedJobsDependencies,
  DeletedQuestions,
  type DeletedQuestionsDependencies,
} from './deleted-questions.ts';
import { Deletions, type DeletionsDependencies } from './deletions.ts';
import { ForgottenAnswers, type ForgottenAnswersDependencies } from './forgotten-answers.ts';
import type { MissedDeletions } from './missed-deletions.ts';
import type { RecentDeletions } from './recent-deletions.ts';

/** What's made of the others here. */
type Made = 'forgottenAnswers' | 'deletions' | 'deletedQuestions' | 'deletedJobs' | 'deletedPlaces';

/** What they need of other parts. */
export type AllDeletionDependencies = Omit<
  ForgottenAnswersDependencies &
    DeletionsDependencies &
    DeletedQuestionsDependencies &
    DeletedJobsDependencies &
    DeletedPlacesDependencies &
    NoticedDeletionsDependencies &
    AnswerDeletionDependencies,
  Made
>;

/** The parts that know of deletions, put together. */
export function createDeletions(dependencies: AllDeletionDependencies): {
  readonly answerDeletion: AnswerDeletion;
  readonly deletedQuestions: DeletedQuestions;
  readonly deletions: Deletions;
  readonly noticedDeletions: NoticedDeletions;
} {
  const forgottenAnswers = new ForgottenAnswers(dependencies);
  const deletions = new Deletions({ ...dependencies, forgottenAnswers });
  const deletedQuestions = new DeletedQuestions({ ...dependencies, forgottenAnswers });
  const deletedJobs = new DeletedJobs({ ...dependencies, deletions, forgottenAnswers });
  const deletedPlaces = new DeletedPlaces({ ...dependencies, deletedJobs, deletions });
  const noticed = { ...dependencies, deletedJobs, deletedPlaces, deletedQuestions, deletions };
  return {
    answerDeletion: new AnswerDeletion({ ...dependencies, deletions, forgottenAnswers }),
    deletedQuestions,
    deletions,
    noticedDeletions: new NoticedDeletions(noticed),
  };
}

interface NoticedDeletionsDependencies {
  readonly answers: Pick<LiveAnswers, 'jobsWith' | 'growingIn'>;
  readonly answersInProgress: Pick<AnswersInProgress, 'stopHere'>;
  readonly conversations: Pick<Conversations, 'forgetQuotes'>;
  readonly deletedJobs: Pick<DeletedJobs, 'stopOrForget'>;
  readonly deletedPlaces: Pick<DeletedPlaces, 'noticed'>;
  readonly deletedQuestions: Pick<DeletedQuestions, 'goesOn' | 'forgetAtEnd'>;
  readonly deletions: Pick<Deletions, 'endRenders'>;
  readonly jobs: Pick<Jobs, 'named'>;
  readonly missed: Pick<MissedDeletions, 'add'>;
  readonly recent: Pick<RecentDeletions, 'note'>;
}

/** What people delete on a platform, and what follows from it. */
class NoticedDeletions {
  readonly #dependencies: NoticedDeletionsDependencies;

  constructor(dependencies: NoticedDeletionsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Messages or a whole place were deleted on a platform, by whomever: what is being made there, or was asked for in one of
   * them, is stopped, in whichever process, and what has ended is forgotten. What the bot itself takes away counts for
   * nothing: it isn't on record any more, or its answer is as deleted. What conversations quote of it is forgotten, whoever
   * wrote it. Where the database doesn't let that happen now, it happens later: what grows there in this process stops at
   * once.
   */
  async noticed(deleted: DeletedMessages): Promise<void> {
    const { answers, answersInProgress, missed } = this.#dependencies;
    try {
      await this.#follow(deleted);
    } catch (error) {
      if (!isLocal(error)) throw error;
      const growing = answers.growingIn(deleted);
      missed.add({ take: () => this.#follow(deleted), jobs: growing });
      for (const id of growing) answersInProgress.stopHere(id);
    }
  }

  /** Does what follows from a deletion; again where the database came between, without harm. */
  async #follow(deleted: DeletedMessages): Promise<void> {
    const { answers, conversations, deletedJobs, deletedPlaces, deletedQuestions, deletions, jobs, recent } =
      this.#dependencies;
    await recent.note(deleted);
    await conversations.forgetQuotes(sourcesNamed(deleted), 'ifQuoted');
    const ids = await answers.jobsWith(deleted);
    for (const { job, named, state } of await jobs.named(ids, deleted.events ?? [])) {
      const isQuestion = named === 'question';
      if (isQuestion && (await deletedQuestions.goesOn(job, state))) await deletedQuestions.forgetAtEnd(job);
      // What stands of images, a video or a clip while it's made only says that it's coming.
      else if (!isQuestion && state === 'running' && job.command !== commandFor.chat)
        await deletions.endRenders(job, named);
      else await deletedJobs.stopOrForget({ job, state }, named, deleted);
    }
    await deletedPlaces.noticed(deleted);
  }
}

/** The sources of what's quoted of what a platform names. */
function sourcesNamed({ platform, channel, messages, place }: DeletedMessages): readonly string[] {
  const gone = place?.thread ?? place?.channel;
  return [
    ...messages.map((message) => messageSource(platform, message, channel)),
    ...(gone === undefined ? [] : [placeSource(platform, gone)]),
  ];
}
