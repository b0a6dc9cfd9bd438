import type { Conversations } from '../../conversation/index.ts';
import type { Credits } from '../../credits/index.ts';
import type { Deliveries } from '../../deliveries/index.ts';
import type { PlaceSettings } from '../../place-settings/index.ts';
import type { Jobs, LiveAnswers, PlatformAdapters } from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import type { AnswersInProgress } from '../answers-in-progress.ts';
import type { AnswerVersions } from '../results/answer-versions.ts';
import type { ImageVersions } from '../results/image-versions.ts';
import type { MissedDeletions, RecentDeletions } from './recent-deletions.ts';
import type { Removals } from './removals.ts';

/** What the parts that know of deletions work with. */
export interface DeletionDependencies {
  readonly adapters: PlatformAdapters;
  readonly answers: LiveAnswers;
  readonly answersInProgress: AnswersInProgress;
  readonly answerVersions: AnswerVersions;
  readonly conversations: Conversations;
  readonly credits: Credits;
  readonly deliveries: Deliveries;
  readonly imageVersions: ImageVersions;
  readonly jobs: Jobs;
  readonly missed: MissedDeletions;
  readonly placeSettings: PlaceSettings;
  readonly recent: RecentDeletions;
  readonly removals: Removals;
  readonly renders: Renders;
}
