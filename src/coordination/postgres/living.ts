import { type QueryExecutorProvider, sql } from 'kysely';
import { isLock, lockOfProcess } from './own-lock.ts';

/** How many processes of the bot live on a PostgreSQL database: each holds its own lock. For tools that aren't one. */
export async function countLiving(database: QueryExecutorProvider): Promise<number> {
  // Before the tables are made there is nowhere to be on record.
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('processes') is not null as found`.execute(database);
  if (!tables[0]?.found) return 0;
  const { rows: processes } = await sql<{ id: string }>`
    select id from processes where ended_at is null`.execute(database);
  const { rows: locks } = await sql<{ lock: string }>`
    select ${sql.raw(isLock)} as lock from pg_locks where granted and locktype = 'advisory'`.execute(
    database,
  );
  const held = new Set(locks.map(({ lock }) => lock));
  return processes.filter(({ id }) => held.has(lockOfProcess(id))).length;
}
