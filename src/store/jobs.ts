import { sql } from 'kysely';
import type { Address, AnyValues, Job, Jobs, Person } from '../port/index.ts';
import type { Database } from './database.ts';

/** The `jobs` table as the dispatcher wants it. */
export function createJobs(database: Database): Jobs {
  return {
    async add(job, eventId, state = 'running') {
      const { numInsertedOrUpdatedRows } = await database
        .insertInto('jobs')
        .values({
          id: job.id,
          event_id: eventId,
          command: job.command,
          options: JSON.stringify(job.options),
          address: JSON.stringify(job.address),
          requester: JSON.stringify(job.requester),
          state,
          created_at: job.createdAt,
          acknowledgement: job.acknowledgement ? JSON.stringify(job.acknowledgement) : null,
        })
        .onConflict((conflict) => conflict.column('event_id').doNothing())
        .executeTakeFirst();
      return Boolean(numInsertedOrUpdatedRows);
    },
    async find(id) {
      const row = await database.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
      return row && jobOf(row);
    },
    async unfinished() {
      const rows = await database
        .selectFrom('jobs')
        .selectAll()
        .where('state', '=', 'running')
        .orderBy('created_at')
        .orderBy(sql`rowid`)
        .execute();
      return rows.map(jobOf);
    },
    async answer(id, yes) {
      const { numUpdatedRows } = await database
        .updateTable('jobs')
        .set({ state: yes ? 'running' : 'done' })
        .where('id', '=', id)
        .where('state', '=', 'asked')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async end(id, outcome) {
      await database.updateTable('jobs').set({ state: outcome }).where('id', '=', id).execute();
    },
  };
}

interface JobRow {
  id: string;
  command: string;
  options: string;
  address: string;
  requester: string;
  created_at: number;
  acknowledgement: string | null;
}

function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    command: row.command,
    options: JSON.parse(row.options) as AnyValues,
    address: JSON.parse(row.address) as Address,
    requester: JSON.parse(row.requester) as Person,
    createdAt: row.created_at,
    ...(row.acknowledgement !== null && { acknowledgement: JSON.parse(row.acknowledgement) }),
  };
}
