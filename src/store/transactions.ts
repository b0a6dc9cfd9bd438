import { setTimeout as wait } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './dialects.ts';
import { PostgresError } from './postgres/errors.ts';
import type { Tables } from './tables/index.ts';

/** How often a transaction is made that collides with others. */
const mostTries = 5;

/**
 * Does work in a transaction; again, from its beginning, where it collided with another process's and was rolled back.
 * So it must change nothing but the database.
 */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (!(error instanceof PostgresError) || !error.isCollision || tries === mostTries) throw error;
      // Those that collided shouldn't meet again.
      await wait(Math.random() * 10 * 2 ** tries);
    }
  }
}

/** What transactions do one at a time, with the number of PostgreSQL's lock for it. */
const oneAtATime = { budgets: 1 } as const;

/** Tells these locks from others, which have one number instead of two. */
const lockClass = 0x7472_6f75;

/**
 * Makes the transactions about a subject follow one another from here on, in whichever process they are: each sees what
 * those before it have written. With SQLite all transactions do that.
 */
export async function takeTurn(transaction: Database, subject: keyof typeof oneAtATime): Promise<void> {
  if (!isPostgres(transaction)) return;
  await sql`select pg_advisory_xact_lock(${lockClass}::integer, ${oneAtATime[subject]}::integer)`.execute(
    transaction,
  );
}
