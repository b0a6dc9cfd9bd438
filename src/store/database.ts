import { Kysely } from 'kysely';
import { type Clock, inTime, systemClock } from '../lib/clock.ts';
import { isPostgresUrl } from '../lib/database-url.ts';
import { noMeter } from '../lib/telemetry.ts';
import { explainDatabaseError } from './database-error.ts';
import { DatabaseWatch, isPostgres, type WatchedDialect } from './driver.ts';
import { migrate } from './migrations/index.ts';
import { postgresDialect } from './postgres/driver.ts';
import { type OnBlocked, preparePostgres } from './postgres/prepare.ts';
import { nodeSqliteDialect } from './sqlite/driver.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/**
 * Opens the database at `url` (`sqlite:FILE`, `sqlite::memory:`, or `postgres://…`) and migrates its tables.
 * `onBlocked`: told whom that waits for, if somebody keeps a table locked.
 * @throws {DatabaseError} if it can't be used: the message says why.
 */
export async function openDatabase(
  url: string,
  clock: Clock = systemClock,
  watch = new DatabaseWatch(noMeter, clock),
  onBlocked: OnBlocked = () => {},
): Promise<Database> {
  try {
    if (isPostgresUrl(url)) {
      await preparePostgres(url, onBlocked);
      return watchedDatabase(postgresDialect(url, watch));
    }
    const file = url.slice('sqlite:'.length);
    return await migrated(watchedDatabase(nodeSqliteDialect(file, { clock, watch })), url);
  } catch (error) {
    throw explainDatabaseError(error, url);
  }
}

/** A database as it is, without a look at its tables. */
export function watchedDatabase(dialect: WatchedDialect): Database {
  const database = new Kysely<Tables>({ dialect });
  watches.set(database, dialect.watch);
  return database;
}

const watches = new WeakMap<Database, DatabaseWatch>();

/** Whether people shouldn't wait for a database: it's away, or hasn't answered for a second. */
export function isSilent(database: Database): boolean {
  return watches.get(database)?.isSilent === true;
}

async function migrated(database: Database, url: string): Promise<Database> {
  try {
    await migrate(database, url);
    return database;
  } catch (error) {
    await database.destroy().catch(() => {});
    throw error;
  }
}

/** How long a result is reused, in milliseconds, so that frequent checks don't wear out the disk: a good one, a bad one. */
const holds = { good: 10_000, bad: 1_000 };
/** A write that takes longer is blocked, in milliseconds. */
const patience = 2_000;
/** Larger than what the rest of a page of SQLite can hold on a full disk. */
const large = JSON.stringify('x'.repeat(65_536));
/** PostgreSQL writes every change to its log, too, so it's small; on a full disk it may work while others don't. */
const small = '""';

/** Tests whether the database accepts writes by making one; returns why not, why another failed of late, or undefined. */
export function writeProbe(database: Database, clock: Clock): () => Promise<string | undefined> {
  let answer: { until: number; readonly reason: Promise<string | undefined> } | undefined;
  let wasSilent = false;
  const ask = () => {
    const now = clock.steady();
    const silent = isSilent(database);
    // Other queries have noticed a change.
    const isChanged = silent !== wasSilent;
    wasSilent = silent;
    if (answer && !isChanged && now < answer.until) return answer.reason;
    const reason = probe(database, clock);
    const asked = { until: now + holds.good, reason };
    answer = asked;
    void reason.then((bad) => {
      if (bad !== undefined) asked.until = clock.steady() + holds.bad;
    });
    return reason;
  };
  return async () => {
    const reason = await ask();
    return watches.get(database)?.fault ?? reason;
  };
}

async function probe(database: Database, clock: Clock): Promise<string | undefined> {
  const isServer = isPostgres(database);
  const row = { value: isServer ? small : large, expires: null };
  const written = database
    .insertInto('keyv')
    .values({ key: 'write probe', ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
    .then(
      () => undefined,
      (error: unknown) => `it can’t be written to: ${error instanceof Error ? error.message : 'fault'}`,
    );
  const late = isServer
    ? 'it doesn’t answer, or something there holds a lock'
    : 'it can’t be written to: another process has it locked';
  return inTime(clock, patience, written, late);
}
