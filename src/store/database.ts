import { Kysely } from 'kysely';
import { type Clock, systemClock } from '../lib/clock.ts';
import { isPostgresUrl } from '../lib/database-url.ts';
import { noMeter } from '../lib/telemetry/index.ts';
import { explainDatabaseError } from './database-error.ts';
import { DatabaseWatch, type WatchedDialect } from './driver.ts';
import { migrate } from './migrations/index.ts';
import { postgresDialect } from './postgres/driver.ts';
import { type OnBlocked, preparePostgres } from './prepare-postgres.ts';
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
  watch = new DatabaseWatch(noMeter, () => clock.steady()),
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
