import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Does work after which what it overwrote or deleted is nowhere in the database's file: SQLite leaves it there until
 * something else needs the room. It costs writes, so that this is for secrets alone.
 */
export async function traceless(database: Database, work: () => Promise<void>): Promise<void> {
  await sql`pragma secure_delete = on`.execute(database);
  try {
    await work();
  } finally {
    await sql`pragma secure_delete = off`.execute(database);
  }
}
