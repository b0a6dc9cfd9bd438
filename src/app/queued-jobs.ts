import type { Turns } from '../conversation/index.ts';
import { type CommandWatch, questionLife } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import { KeyedQueue } from '../lib/promises.ts';
import { conversationKey, type Job, type Jobs, type LiveAnswers, type Removal } from '../port/index.ts';
import { words } from '../words/index.ts';

/** Jobs whose commands take turns: each is in the queue before it's on record, and leaves it when it ends. */
export function queuedJobs(jobs: Jobs, turns: Turns, takesTurns: (command: string) => boolean): Jobs {
  /** Two answers to a question are about the same job: each finds the place that the one before has left or kept. */
  const recording = new KeyedQueue();
  /** Has no place in the queue for a job that `record` doesn't put on record; one that it had before stays. */
  const inQueue = async (job: Job, record: () => Promise<boolean>, arrival?: number) => {
    const { id, requester, address } = job;
    const queued = { job: id, person: requester.id, place: conversationKey(address) };
    let isToLeave = true;
    try {
      isToLeave = await turns.enter(arrival === undefined ? queued : { ...queued, arrival });
      const isRecorded = await record();
      if (isRecorded) isToLeave = false;
      return isRecorded;
    } finally {
      if (isToLeave) await turns.leave(id);
    }
  };
  return {
    ...jobs,
    add(job, eventId, state = 'running', arrival) {
      const add = () => jobs.add(job, eventId, state);
      return state === 'running' && takesTurns(job.command) ? inQueue(job, add, arrival) : add();
    },
    async confirm(id, chosen, ...how) {
      const confirm = () => jobs.confirm(id, chosen, ...how);
      const job = chosen && takesTurns(chosen.command) ? await jobs.find(id) : undefined;
      return job ? recording.run(id, () => inQueue(job, confirm)) : confirm();
    },
    async reopenConfirmation(job, ...how) {
      const isReopened = await jobs.reopenConfirmation(job, ...how);
      if (isReopened) await turns.leave(job.id);
      return isReopened;
    },
    async end(id, outcome) {
      await Promise.all([jobs.end(id, outcome), turns.leave(id)]);
    },
  };
}

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
