import { type QueryExecutorProvider, sql } from 'kysely';
import { usuallyDeadAfter } from './lease.ts';

/** How many processes of the bot live on a PostgreSQL database: those that renew their leases. For tools that aren't one. */
export async function countLiving(database: QueryExecutorProvider): Promise<number> {
  // Before the tables are made there is nowhere to be on record.
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('processes') is not null as found`.execute(database);
  if (!tables[0]?.found) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from processes
    where ended_at is null
      and seen_at > extract(epoch from clock_timestamp()) * 1000 - ${usuallyDeadAfter}::integer`.execute(
    database,
  );
  return rows[0]?.count ?? 0;
}
