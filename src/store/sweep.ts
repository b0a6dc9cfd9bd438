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

/**
 * Deletes what is no longer needed: expired values, turns of processes that ended, and old jobs with their dependent rows. Returns how many rows.
 */
export async function sweep(database: Database, now: number): Promise<number> {
  const before = now - jobDays * day;
  const ended = database
    .selectFrom('jobs')
    .select('id')
    .where('created_at', '<', before)
    .where('state', '!=', 'running');
  return inTransaction(database, async (transaction) => {
    const expired = await transaction.deleteFrom('keyv').where('expires', '<=', now).executeTakeFirst();
    await transaction
      .deleteFrom('rates')
      .where('expire', '<=', now - day)
      .execute();
    await transaction
      .deleteFrom('budget_use')
      .where('quarter', '<', quarterHourOf(now - budgetDays * day))
      .execute();
    await transaction
      .deleteFrom('renders')
      .where('delivered', 'is not', null)
      .where('job', 'in', ended)
      .execute();
    await transaction
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
    await transaction
      .deleteFrom('processes')
      .where('ended_at', '<', now - processDays * day)
      .execute();
    await transaction.deleteFrom('feedback').where('voted_at', '<', before).execute();
    await transaction.deleteFrom('live_answers').where('job_id', 'in', ended).execute();
    const old = await transaction
      .deleteFrom('jobs')
      .where('created_at', '<', before)
      .where('state', '!=', 'running')
      .where('id', 'not in', transaction.selectFrom('renders').select('job'))
      .where('id', 'not in', transaction.selectFrom('deliveries').select('job_id'))
      .executeTakeFirst();
    return Number(expired.numDeletedRows + old.numDeletedRows);
  });
}
