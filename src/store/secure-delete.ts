import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './dialects.ts';

/**
 * Runs work and then removes overwritten and deleted data from the database file, where SQLite otherwise leaves it
 * until it reuses the space. It costs extra writes, so use it only for secrets. PostgreSQL
 * removes it when it next vacuums.
 */
export async function withSecureDelete(database: Database, work: () => Promise<void>): Promise<void> {
  if (isPostgres(database)) return work();
  await sql`pragma secure_delete = on`.execute(database);
  try {
    await work();
  } finally {
    await sql`pragma secure_delete = off`.execute(database);
  }
}
