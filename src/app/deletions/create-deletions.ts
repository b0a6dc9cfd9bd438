import { AnswerDeletion, type AnswerDeletionDependencies } from './delete-answer.ts';
import { DeletedJobs, type DeletedJobsDependencies } from './deleted-jobs.ts';
import { DeletedPlaces, type DeletedPlacesDependencies } from './deleted-places.ts';
import { DeletedQuestions, type DeletedQuestionsDependencies } from './deleted-questions.ts';
import { Deletions, type DeletionsDependencies } from './deletions.ts';
import { ForgottenAnswers, type ForgottenAnswersDependencies } from './forgotten-answers.ts';
import { NoticedDeletions, type NoticedDeletionsDependencies } from './noticed-deletions.ts';

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
