import { sql } from 'kysely';
import { createJobs, type Database, type RenderState } from '../../../src/store/index.ts';
import { bossSchema } from '../../../src/store/postgres/boss-schema.ts';

const address = { platform: 'discord', workspace: 'w', channel: 'c' } as const;

/** A render that is put on record with its job. */
export interface AddedRender {
  readonly id: string;
  /** Which has it in hand. */
  readonly process: string | null;
  readonly state?: RenderState;
  readonly createdAt?: number;
}

/** Puts a video on record, with a job of the same id. */
export async function addRender(
  database: Database,
  { id, process, state = 'waiting', createdAt = 0 }: AddedRender,
): Promise<void> {
  const requester = { id: 'ann', name: 'Ann', locale: 'en', administrator: false, moderator: false } as const;
  const job = { id, command: 'video', options: { prompt: 'a cat' }, address, requester, createdAt };
  await createJobs(database).add(job, `event of ${id}`);
  await database
    .insertInto('renders')
    .values({
      id,
      job: id,
      kind: 'video',
      state,
      request: '{}',
      conversation_id: 'c',
      message: JSON.stringify({ ...address, message: `progress of ${id}` }),
      task_id: id,
      result: null,
      delivered: null,
      fault: null,
      created_at: createdAt,
      updated_at: createdAt,
      process,
    })
    .execute();
}

/** Whoever looks next is woken for a render of the console. */
export async function putWakeUp(database: Database, id: string, job: string): Promise<void> {
  const data = JSON.stringify({ id, job, platform: 'console' });
  await sql`insert into ${sql.ref(`${bossSchema}.job`)} (name, data, singleton_key, policy)
    values ('renders-console', ${data}::jsonb, ${id}, 'short')`.execute(database);
}

/** Lets time pass as PostgreSQL sees it: what waits there is due so much earlier. */
export async function passInDatabase(database: Database, milliseconds: number): Promise<void> {
  const interval = sql`${milliseconds}::int * interval '1 millisecond'`;
  await sql`update ${sql.ref(`${bossSchema}.job`)} set start_after = start_after - ${interval}`.execute(
    database,
  );
  await database
    .updateTable('renders')
    .set(({ eb }) => ({ wakes_at: eb('wakes_at', '-', milliseconds) }))
    .where('wakes_at', 'is not', null)
    .execute();
}

/** Tells whether nothing of what is due now waits any longer, and nothing is in hand. */
export async function nothingDue(database: Database): Promise<() => Promise<boolean>> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(database);
  const now = sql.lit(rows[0]?.now);
  return async () => {
    const { rows: left } = await sql`
      select id from renders where process is not null and delivered is null
      union all
      select id::text from ${sql.ref(`${bossSchema}.job`)} where start_after <= ${now}::timestamptz`.execute(
      database,
    );
    return left.length === 0;
  };
}
