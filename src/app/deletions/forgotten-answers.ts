import { type AnswersInProgress, type Conversations, sourcesOfMessage } from '../../conversation/index.ts';
import type { Credits } from '../../credits/index.ts';
import type { Deliveries } from '../../deliveries/index.ts';
import type { EffectiveSettings, PlaceSettings } from '../../place-settings/index.ts';
import {
  type Deleted,
  isPrivate,
  type Job,
  type Jobs,
  type LiveAnswers,
  type MessageAddress,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import { possibleConversations, privateConversation, rootOf, threadConversation } from '../job-context.ts';
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

/** What’s kept of answers to be quoted or shown later is forgotten once they, or their questions, are deleted. */
export class ForgottenAnswers {
  readonly #dependencies: DeletionDependencies;

  constructor(dependencies: DeletionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Forgets what an answer said that's deleted, or whose question is: no later answer quotes it, and nobody pages back to
   * it. Then that's on record. `messages` are known besides: some are on record without their ids.
   */
  async forget(job: Job, what: Deleted = 'answer', messages: readonly MessageAddress[] = []): Promise<void> {
    await this.forgetSaid(job, what, messages);
    await this.#dependencies.answerVersions.forgetText(job.id);
    if (what !== 'question') await this.#dependencies.imageVersions.forget(rootOf(job));
    await this.#dependencies.jobs.markDeleted(job.id, what);
  }

  /**
   * In all conversations that may have it. A private answer stands only for its requester, though its question is deleted:
   * they may go on with it, and only what's quoted of its shared copies is forgotten.
   */
  async forgetSaid(job: Job, what: Deleted, messages: readonly MessageAddress[] = []): Promise<void> {
    const { adapters, answers, conversations, credits, placeSettings } = this.#dependencies;
    const { address, requester } = job;
    if (what === 'question') await credits.forgetPrompt(job.id);
    const settings = await placeSettings.at(address);
    const own = [privateConversation(address, requester), ...possibleConversations({ ...job, settings })];
    for (const place of new Set([...sharedConversations(job, settings), ...own]))
      await conversations.forget(place, job.id);
    const known = [...messages, ...(await answers.messagesOf(job.id))];
    const stands = what === 'question' && isPrivate(job);
    const gone = stands ? known.filter(({ isShared }) => isShared) : known;
    for (const message of gone) await adapters(message.platform)?.forgetAbove(message);
    await conversations.forgetQuotes([
      ...(stands ? [] : [job.id]),
      ...new Set(gone.flatMap(sourcesOfMessage)),
    ]);
  }

  /** Of a private answer only where everybody sees it, and what's quoted of these messages. */
  async forgetShared(job: Job, messages: readonly MessageAddress[]): Promise<void> {
    const { conversations, placeSettings } = this.#dependencies;
    const settings = await placeSettings.at(job.address);
    for (const place of new Set(sharedConversations(job, settings)))
      await conversations.forget(place, job.id);
    await conversations.forgetQuotes(messages.flatMap(sourcesOfMessage));
  }
}

/** The conversations that may have a job's answer where everybody sees it. */
function sharedConversations(job: Job, settings: EffectiveSettings): readonly string[] {
  const { address, requester } = job;
  return [threadConversation(job), ...possibleConversations({ address, requester, settings, options: {} })];
}
