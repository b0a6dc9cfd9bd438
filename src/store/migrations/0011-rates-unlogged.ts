import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialects.ts';

/** What was used of limits counts for a minute: it needn't survive a crash, and so waits for no disk. */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (isPostgres(database)) await sql`alter table rates set unlogged`.execute(database);
}
