import type { Database } from './database.ts';
import { quarterHourOf } from './quarter-hour.ts';
import { inTransaction } from './transactions.ts';

const day = 86_400_000;
/** How long buttons work, in days: their jobs are kept for that. */
const jobDays = 90;

/** Processes that ended are kept for so many days, to be looked at: nothing needs them. */
const processDays = 7;

/** Spending older than this counts against no budget: a day has begun and ended since in every time zone. */
const budgetDays = 3;

/** Jobs that are deleted at a time: PostgreSQL ends a statement that takes some seconds. */
const jobsAtOnce = 1_000;

/**
 * Deletes what is no longer needed: expired values, turns and locks of processes that ended, and old jobs with their dependent
 * rows. Returns how many rows.
 */
export async function sweep(database: Database, now: number): Promise<number> {
  const expired = await database.deleteFrom('keyv').where('expires', '<=', now).executeTakeFirst();
  await database
    .deleteFrom('rates')
    .where('expire', '<=', now - day)
    .execute();
  await database
    .deleteFrom('budget_use')
    .where('quarter', '<', quarterHourOf(now - budgetDays * day))
    .execute();
  await sweepProcesses(database, now);
  const before = now - jobDays * day;
  await database.deleteFrom('feedback').where('voted_at', '<', before).execute();
  return Number(expired.numDeletedRows) + (await sweepJobs(database, before));
}

async function sweepProcesses(database: Database, now: number): Promise<void> {
  await database
    .deleteFrom('turns')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('processes')
            .select('processes.id')
            .whereRef('processes.id', '=', 'turns.process')
            .where('processes.ended_at', 'is', null),
        ),
      ),
    )
    .execute();
  await database
    .deleteFrom('locks')
    .where('process', 'not in', ({ selectFrom }) =>
      selectFrom('processes').select('id').where('ended_at', 'is', null),
    )
    .execute();
  await database
    .deleteFrom('processes')
    .where('ended_at', '<', now - processDays * day)
    .execute();
}

/** Those about which nobody has still to be told, with their renders. */
async function sweepJobs(database: Database, before: number): Promise<number> {
  const ended = database
    .selectFrom('jobs')
    .select('id')
    .where('created_at', '<', before)
    .where('state', '!=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('renders')
            .select('renders.id')
            .whereRef('renders.job', '=', 'jobs.id')
            .where('renders.delivered', 'is', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries').select('deliveries.job_id').whereRef('deliveries.job_id', '=', 'jobs.id'),
        ),
      ),
    )
    .limit(jobsAtOnce);
  let deleted = 0;
  for (let found = jobsAtOnce; found === jobsAtOnce; ) {
    const ids = (await ended.execute()).map(({ id }) => id);
    found = ids.length;
    if (found > 0) deleted += await deleteJobs(database, ids);
  }
  return deleted;
}

function deleteJobs(database: Database, ids: readonly string[]): Promise<number> {
  return inTransaction(database, async (transaction) => {
    await transaction.deleteFrom('renders').where('job', 'in', ids).execute();
    await transaction.deleteFrom('live_answer_pieces').where('job_id', 'in', ids).execute();
    await transaction.deleteFrom('live_answers').where('job_id', 'in', ids).execute();
    const deleted = await transaction.deleteFrom('jobs').where('id', 'in', ids).executeTakeFirst();
    return Number(deleted.numDeletedRows);
  });
}
