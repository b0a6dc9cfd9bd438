import { type CommandWatch, questionLife } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Job, Jobs, LiveAnswers, Removal } from '../port/index.ts';
import { words } from '../words/index.ts';

interface UnansweredDependencies {
  readonly jobs: Pick<Jobs, 'unanswered' | 'endAsked'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf'>;
  readonly watch: Pick<CommandWatch, 'ended'>;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Ends commands that nobody has confirmed in time, on record, with what becomes of their questions: they say so and lose their
 * buttons; those that are deleted, or asked anew, go. One that can't be ended keeps no other from it.
 */
export async function endUnanswered(dependencies: UnansweredDependencies): Promise<void> {
  const { jobs, watch, clock, log } = dependencies;
  for (const job of await jobs.unanswered(clock.now() - questionLife))
    try {
      const ended = await jobs.endAsked(job.id, await closing(job, dependencies));
      if (ended) watch.ended(ended, { outcome: 'unanswered' });
    } catch (error) {
      log.warn({ job: job.id, error }, 'a question that nobody answered could not be ended');
    }
}

async function closing(
  job: Job,
  { answers }: Pick<UnansweredDependencies, 'answers'>,
): Promise<readonly Removal[]> {
  const messages = await answers.messagesOf(job.id);
  if (job.deleted) return messages.toReversed().map((message) => ({ message }));
  const { tooOld } = words(job.requester.locale, job.address.platform).question;
  return messages.map((message) => ({ message, shows: { text: tooOld } }));
}
