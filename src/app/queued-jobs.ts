import type { Turns } from '../conversation/index.ts';
import { conversationKey, type Job, type Jobs } from '../port/index.ts';

/** Jobs whose commands take turns: each is in the queue before it's on record, and leaves it when it ends. */
export function queuedJobs(jobs: Jobs, turns: Turns, takesTurns: (command: string) => boolean): Jobs {
  /** Has no place in the queue for a job that `record` doesn't put on record. */
  const inQueue = async (job: Job, record: () => Promise<boolean>, arrival?: number) => {
    const { id, requester, address } = job;
    const queued = { job: id, person: requester.id, place: conversationKey(address) };
    let isRecorded = false;
    try {
      await turns.enter(arrival === undefined ? queued : { ...queued, arrival });
      isRecorded = await record();
    } finally {
      if (!isRecorded) await turns.leave(id);
    }
    return isRecorded;
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
      return job ? inQueue(job, confirm) : confirm();
    },
    async reopenConfirmation(job, ...how) {
      await jobs.reopenConfirmation(job, ...how);
      await turns.leave(job.id);
    },
    async end(id, outcome) {
      await Promise.all([jobs.end(id, outcome), turns.leave(id)]);
    },
  };
}
