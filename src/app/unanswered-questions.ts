import type { Clock } from '../lib/clock.ts';
import {
  type CommandWatch,
  type Job,
  type Jobs,
  type LiveAnswers,
  type PlatformAdapters,
  PlatformError,
  questionLife,
} from '../port/index.ts';
import { words } from '../words/index.ts';

/** For how long a platform that's away is waited for to take a question's buttons away, in milliseconds: a day. */
const patience = 86_400_000;

interface UnansweredDependencies {
  readonly jobs: Pick<Jobs, 'unanswered' | 'endAsked'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf' | 'forget'>;
  readonly adapters: PlatformAdapters;
  readonly takeAway: (job: Job) => Promise<void>;
  readonly watch: Pick<CommandWatch, 'ended'>;
  readonly clock: Clock;
}

/**
 * Ends commands that nobody has confirmed in time. Their questions say so and lose their buttons; those that are deleted, or
 * asked anew, go. It's done before that's on record, so that it's done again where the process dies in between.
 */
export async function endUnanswered(dependencies: UnansweredDependencies): Promise<void> {
  const { jobs, watch, clock } = dependencies;
  for (const job of await jobs.unanswered(clock.now() - questionLife)) {
    const isLate = clock.now() > job.createdAt + questionLife + patience;
    if (!(await isClosed(job, dependencies)) && !isLate) continue;
    const ended = await jobs.endAsked(job.id);
    if (ended) watch.ended(ended, { outcome: 'unanswered' });
  }
}

/** Closes a job's question as far as its platform lets it; false if that can't be reached now. */
async function isClosed(job: Job, { answers, adapters, takeAway }: UnansweredDependencies): Promise<boolean> {
  if (job.deleted) {
    await takeAway(job);
    return true;
  }
  const adapter = adapters(job.address.platform);
  if (!adapter) return false;
  const { tooOld } = words(job.requester.locale, job.address.platform).question;
  let isReached = true;
  for (const message of await answers.messagesOf(job.id))
    try {
      await adapter.edit(message, { text: tooOld });
      // Whoever deletes it from now on doesn't mean what it was about.
      await answers.forget(message);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.kind === 'unreachable') isReached = false;
    }
  return isReached;
}
