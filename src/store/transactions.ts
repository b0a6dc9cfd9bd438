import { setTimeout as wait } from 'node:timers/promises';
import { type Compilable, type QueryResult, sql, type Transaction } from 'kysely';
import { systemClock } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialects.ts';
import { PostgresError } from './postgres/errors.ts';
import type { Tables } from './tables.ts';

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

/**
 * Makes a write that does nothing where it was made before: once more where PostgreSQL's answer to it was lost. Where
 * that fails, too, the caller is told, and what may have been written is undone as soon as the database is back.
 */
export async function writeOrUndo<T>(write: () => Promise<T>, undo: () => Promise<unknown>): Promise<T> {
  try {
    return await onceMore(write);
  } catch (error) {
    const work = async () => void (await undo());
    if (isLost(error)) nowOrLater(work, { clock: systemClock }).catch(() => {});
    throw error;
  }
}

async function onceMore<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isLost(error)) throw error;
    return write();
  }
}

function isLost(error: unknown): boolean {
  return error instanceof PostgresError && error.endsConnection;
}

/**
 * A query that every command makes: built and compiled once, which takes longer than running it. Values are passed in
 * the order in which they occur in the query.
 */
export function readyQuery<Row>(
  database: Database,
  query: Compilable<Row>,
): (...values: readonly unknown[]) => Promise<QueryResult<Row>> {
  const compiled = query.compile();
  return (...parameters) => database.executeQuery({ ...compiled, parameters });
}
