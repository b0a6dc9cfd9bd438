import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { inTime } from '../lib/promises.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialects.ts';

/**
 * Whether `process` still counts as living, as a condition of the very write that depends on it: what must happen once
 * (a paid request, a post) is put on record under this condition right before it happens. Whoever declares the process
 * dead waits until that write is over; from then on the write does nothing. So those who take its work over see every
 * record of it, and it makes no more of them. Use it in single statements, not in transactions that wait for something:
 * they would keep others from declaring it dead. Always true in a process that has its database to itself (`null`, or
 * SQLite): nobody takes it for dead.
 */
export function isStillLiving(
  database: QueryExecutorProvider,
  process: string | null | undefined,
): RawBuilder<boolean> {
  if (process === null || process === undefined || !isPostgres(database)) return sql<boolean>`true`;
  return sql<boolean>`exists (
    select from processes where id = ${process} and ended_at is null for share)`;
}

/**
 * Awaited right before something that must happen once and is on record as begun: those who have declared this process
 * dead do it instead.
 * @throws {LeaseEndedError} if there are any, and what the database says where it's away.
 */
export async function expectLiving(database: Database, process: string): Promise<void> {
  const read = sql<{ isLiving: boolean }>`select ${isStillLiving(database, process)} as "isLiving"`;
  const { rows } = await read.execute(database);
  if (!rows[0]?.isLiving) throw new LeaseEndedError();
}

/** Milliseconds for the database to say that others have taken this process for dead. */
const patience = 500;

/**
 * Awaited right before what people read without a database, too: rejects only where others are known to have taken this
 * process for dead. Where the database is away nobody knows, and nobody is silenced.
 * @throws {LeaseEndedError}
 */
export async function unlessTakenOver(
  clock: Clock,
  expect: (() => Promise<void>) | undefined,
): Promise<void> {
  const asked = expect?.().catch((error: unknown) => {
    if (error instanceof LeaseEndedError) throw error;
  });
  if (asked) await inTime(clock, patience, asked, undefined);
}

/**
 * This process was taken for dead, so it wasn't allowed to begin something. It ends as soon as its lease tells it; until
 * then that's as if the database were away.
 */
export class LeaseEndedError extends Error {
  override name = 'LeaseEndedError';
  readonly code = 'ERR_POSTGRES_AWAY';

  constructor() {
    super('other processes have taken this one for dead');
  }
}
