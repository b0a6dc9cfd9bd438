import {
  type Compilable,
  type Expression,
  type Insertable,
  type QueryExecutorProvider,
  type QueryResult,
  type RawBuilder,
  sql,
  type SqlBool,
  type Transaction,
} from 'kysely';
import { type Clock, inTime, systemClock } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import { isLost } from './database-error.ts';
import type { Database } from './database.ts';
import { despiteCollisions, isPostgres } from './driver.ts';
import type { Tables } from './tables.ts';

/**
 * Does work in a transaction; again, from its beginning, where it collided with another process's and was rolled back.
 * So it must change nothing but the database.
 */
export function inTransaction<T>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return despiteCollisions(() => database.transaction().execute(work));
}

/** What transactions do one at a time, with the number of PostgreSQL's lock for it. */
const oneAtATime = { budgets: 1, settings: 2 } as const;

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
 * Makes a write that does nothing where it was made before: once more (`isAgain`) where PostgreSQL's answer to it was lost.
 * Where that fails, too, the caller is told, and what may have been written is undone as soon as the database is back.
 */
export async function writeOrUndo<T>(
  write: (isAgain: boolean) => Promise<T>,
  undo: () => Promise<unknown>,
): Promise<T> {
  try {
    return await onceMore(write);
  } catch (error) {
    const work = async () => void (await undo());
    if (isLost(error)) nowOrLater(work, { clock: systemClock }).catch(() => {});
    throw error;
  }
}

async function onceMore<T>(write: (isAgain: boolean) => Promise<T>): Promise<T> {
  try {
    return await write(false);
  } catch (error) {
    if (!isLost(error)) throw error;
    return write(true);
  }
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

/** Inserts a row if a condition holds. Its values are bare parameters, which PostgreSQL takes for the types of the columns. */
export function insertIf<Table extends keyof Tables & string>(
  database: Database,
  table: Table,
  row: Insertable<Tables[Table]>,
  condition: Expression<SqlBool>,
) {
  const columns = Object.keys(row) as (keyof Tables[Table] & string)[];
  const values = database
    .selectNoFrom(({ val }) => Object.entries(row).map(([column, value]) => val(value).as(column)))
    .where(condition);
  return database.insertInto(table).columns(columns).expression(values);
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
