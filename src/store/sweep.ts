import type { Database } from './database.ts';
import { quarterHourOf } from './quarter-hour.ts';

const day = 86_400_000;
/** Buttons work for so long: what they belong to is kept, in days. */
const jobDays = 90;

/** What was spent longer ago counts against no budget: a day of some time zone has begun and ended since. */
const budgetDays = 3;

/** Forgets what nobody needs any more: expired values, old jobs with what hangs on them. Answers how much. */
export async function sweep(database: Database, now: number): Promise<number> {
  const before = now - jobDays * day;
  const ended = database
    .selectFrom('jobs')
    .select('id')
    .where('created_at', '<', before)
    .where('state', '!=', 'running');
  return database.transaction().execute(async (transaction) => {
    const expired = await transaction.deleteFrom('keyv').where('expires', '<=', now).executeTakeFirst();
    await transaction
      .deleteFrom('budget_use')
      .where('quarter', '<', quarterHourOf(now - budgetDays * day))
      .execute();
    await transaction
      .deleteFrom('renders')
      .where('delivered', 'is not', null)
      .where('id', 'in', ended)
      .execute();
    await transaction.deleteFrom('live_answers').where('job_id', 'in', ended).execute();
    const old = await transaction
      .deleteFrom('jobs')
      .where('created_at', '<', before)
      .where('state', '!=', 'running')
      .where('id', 'not in', transaction.selectFrom('renders').select('id'))
      .where('id', 'not in', transaction.selectFrom('deliveries').select('job_id'))
      .executeTakeFirst();
    return Number(expired.numDeletedRows + old.numDeletedRows);
  });
}
