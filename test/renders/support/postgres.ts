import { sql } from 'kysely';
import { createJobs, type Database, databaseNow, type RenderState } from '../../../src/store/index.ts';
import { jobCalled, renderRow } from '../../fakes/records.ts';

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
  const job = jobCalled(id, { command: 'video', options: { prompt: 'a cat' }, address, createdAt });
  await createJobs(database).add(job, `event of ${id}`);
  const message = JSON.stringify({ ...address, message: `progress of ${id}` });
  const row = renderRow(id, { state, message, created_at: createdAt, updated_at: createdAt, process });
  await database.insertInto('renders').values(row).execute();
}

/** Lets time pass as PostgreSQL sees it: what waits there is due so much earlier. */
export async function passInDatabase(database: Database, milliseconds: number): Promise<void> {
  await database
    .updateTable('renders')
    .set(({ eb }) => ({ wakes_at: eb('wakes_at', '-', milliseconds) }))
    .where('wakes_at', 'is not', null)
    .execute();
}

/** Tells whether all that is due or in hand now has been done since. What the real time makes due meanwhile may wait. */
export async function nothingDue(database: Database): Promise<() => Promise<boolean>> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow(database)} as now`.execute(database);
  const now = rows[0]?.now ?? 0;
  const open = async () => {
    const found = await database
      .selectFrom('renders')
      .select('id')
      .where('delivered', 'is', null)
      .where(({ eb, or }) => or([eb('process', 'is not', null), eb('wakes_at', '<=', now)]))
      .execute();
    return new Set(found.map(({ id }) => id));
  };
  let left = await open();
  return async () => {
    left = left.intersection(await open());
    return left.size === 0;
  };
}
