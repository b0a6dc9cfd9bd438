import { type Dialect, Kysely, sql } from 'kysely';
import { type Clock, systemClock } from '../lib/clock.ts';
import { isPostgresUrl } from '../lib/database-url.ts';
import { noMeter } from '../lib/telemetry/index.ts';
import { explainDatabaseError, unusable } from './database-error.ts';
import { DatabaseWatch, measuredDialect } from './measured-dialect.ts';
import { migrate } from './migrations/migrate.ts';
import { postgresDialect } from './postgres/dialect.ts';
import { longestWaitForLock, type OnBlocked, waitForLocks } from './postgres/wait-for-locks.ts';
import { nodeSqliteDialect } from './sqlite/dialect.ts';
import type { Tables } from './tables/index.ts';

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
  const open = (dialect: Dialect) => watchedDatabase(dialect, watch);
  try {
    if (isPostgresUrl(url)) {
      await preparePostgres(url, onBlocked);
      return open(postgresDialect(url));
    }
    return await migrated(open(nodeSqliteDialect(url.slice('sqlite:'.length), clock)), url);
  } catch (error) {
    throw explainDatabaseError(error, url);
  }
}

/** A database whose queries `watch` measures, as it is: without a look at its tables. */
export function watchedDatabase(dialect: Dialect, watch: DatabaseWatch): Database {
  const database = new Kysely<Tables>({ dialect: measuredDialect(dialect, watch) });
  watches.set(database, watch);
  return database;
}

const watches = new WeakMap<Database, DatabaseWatch>();

/** Whether people shouldn't wait for a database: it's away, or hasn't answered for a second. */
export function isSilent(database: Database): boolean {
  return watches.get(database)?.isSilent === true;
}

/** Tables are made by a connection of its own, which may take as long as it takes, but not wait in others' way. */
async function preparePostgres(url: string, onBlocked: OnBlocked): Promise<void> {
  const dialect = postgresDialect(url, { longestStatement: 0, longestWaitForLock });
  const patient = new Kysely<Tables>({ dialect });
  try {
    await checkServer(patient, url);
    await waitForLocks(patient, () => migrate(patient, url), onBlocked);
  } finally {
    await patient.destroy().catch(() => {});
  }
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

/** The oldest version of PostgreSQL that's allowed for, as the server says it. */
const oldestVersion = 130_000;

/** @throws {DatabaseError} if the bot doesn't work with this server. */
export async function checkServer(database: Database, url: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding
  `.execute(database);
  const [{ version, encoding } = { version: 0, encoding: '' }] = rows;
  if (version < oldestVersion) throw unusable(url, 'oldServer');
  if (encoding !== 'UTF8') throw unusable(url, 'encoding');
  if (await isPooled(database)) throw unusable(url, 'pooled');
}

/** How often it's tried whether somebody else gets our connection: other clients of a pooler may be quicker. */
const looksForPooler = 3;

/**
 * Whether a pooler gives a connection that's between two transactions to other clients, as PgBouncer's transaction mode
 * does: what it listens to is lost, and time limits are set for others.
 */
async function isPooled(database: Database): Promise<boolean> {
  return database.connection().execute(async (one) => {
    for (let looks = 0; looks < looksForPooler; looks++) {
      const ours = await sessionOf(one);
      if ((await database.transaction().execute(sessionOf)) === ours) return true;
    }
    return false;
  });
}

async function sessionOf(database: Database): Promise<number | undefined> {
  const { rows } = await sql<{ session: number }>`select pg_backend_pid() as session`.execute(database);
  return rows[0]?.session;
}
