import type Keyv from 'keyv';
import type { Conversations } from '../conversation/index.ts';
import type { Credits } from '../credits/index.ts';
import type { Deliveries } from '../deliveries/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Tracer } from '../lib/telemetry/index.ts';
import type { SoundConverter } from '../media/index.ts';
import type { PlaceSettings } from '../place-settings/index.ts';
import type { Job, LiveAnswers, PlatformAdapters } from '../port/index.ts';
import type { Renders } from '../renders/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { FirstTime } from '../store/index.ts';
import type { AnswerVersions } from './answers/answer-versions.ts';
import type { AnswersInProgress } from './answers/answers-in-progress.ts';
import type { Feedback } from './answers/feedback.ts';
import type { AnswerDeletion } from './deletions/delete-answer.ts';
import type { DeletedQuestions } from './deletions/deleted-questions.ts';
import type { Deletions } from './deletions/deletions.ts';
import type { ImageVersions } from './image-versions.ts';
import type { BudgetsFor } from './policy/budgets.ts';
import type { Sharing } from './sharing/sharing.ts';
import type { VoiceList } from './voices/voice-list.ts';
import type { VoiceSamples } from './voices/voice-samples.ts';

/** What commands work with. */
export interface CommandDependencies {
  readonly tracer: Tracer;
  readonly service: ServiceClient;
  readonly conversations: Conversations;
  readonly renders: Renders;
  readonly imageVersions: ImageVersions;
  /** Brings finished answers and clips to people, now or later. */
  readonly deliveries: Deliveries;
  readonly adapters: PlatformAdapters;
  readonly answerVersions: AnswerVersions;
  readonly answersInProgress: AnswersInProgress;
  /** Puts messages on record as a job's. */
  readonly answers: Pick<LiveAnswers, 'note'>;
  readonly answerDeletion: AnswerDeletion;
  readonly deletedQuestions: DeletedQuestions;
  readonly deletions: Deletions;
  /** Logs a failure that the command itself explains to people. */
  readonly logFailure: (error: unknown, job: Job) => void;
  readonly credits: Credits;
  /** The daily budgets that apply to a person, by the settings a command was admitted with. */
  readonly budgetsFor: BudgetsFor;
  readonly placeSettings: PlaceSettings;
  readonly voiceList: VoiceList;
  readonly sounds: SoundConverter;
  readonly voiceSamples: VoiceSamples;
  /** Shows private answers to everybody. */
  readonly sharing: Sharing;
  /** Small things kept between commands: the chart theme a person chose, the voices a list showed. */
  readonly notes: Keyv;
  /** True on the first call for a key of `notes`, and again once so many milliseconds have passed. */
  readonly firstTime: FirstTime;
  /** What people think of answers. */
  readonly feedback: Feedback;
  readonly clock: Clock;
}
