import { Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import { explainDatabaseError, unusable } from '../database-error.ts';
import { databaseNow, isPostgres } from '../dialects.ts';
import { countPending } from '../migrations/index.ts';
import { madeIn, requireUsable } from '../migrations/migrate.ts';
import { postgresDialect } from '../postgres/driver.ts';
import { checkServer } from '../prepare-postgres.ts';
import type { Tables } from '../tables/index.ts';

/**
 * Opens the PostgreSQL database at `url` to look at it: its tables are neither made nor changed.
 * @throws {DatabaseError} if it can't be used: the message says why.
 */
export async function lookInto<T>(url: string, look: (database: Database) => Promise<T>): Promise<T> {
  const database = new Kysely<Tables>({ dialect: postgresDialect(url) });
  try {
    return await look(database);
  } catch (error) {
    throw explainDatabaseError(error, url);
  } finally {
    await database.destroy().catch(() => {});
  }
}

/** The state of a PostgreSQL database. */
export interface PostgresState {
  /** The server's, such as `18.4`. */
  readonly version: string;
  /** Number of pending migrations. */
  readonly pending: number;
  /** How far this machine's clock is ahead of the server's, in milliseconds. */
  readonly ahead: number;
  /** Whether what it confirms outlives a power cut. */
  readonly isDurable: boolean;
}

/** Whether what the server confirms outlives a power cut: it's flushed to its disk. Always true of SQLite. */
export async function isDurable(database: Database): Promise<boolean> {
  if (!isPostgres(database)) return true;
  const { rows } = await sql<{ fsync: string }>`select current_setting('fsync') as fsync`.execute(database);
  return rows[0]?.fsync !== 'off';
}

/**
 * Inspects a PostgreSQL database without changing anything; `url` is for errors.
 * @throws {DatabaseError} if the bot couldn't use it.
 */
export async function inspectPostgres(database: Database, url: string): Promise<PostgresState> {
  await checkServer(database, url);
  const made = await madeIn(database);
  requireUsable(made, url);
  const pending = countPending(made);
  const { rows } = await sql<{ version: string; makes: boolean; keeps: boolean }>`
    select current_setting('server_version') as version,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as makes,
      current_setting('transaction_read_only') = 'on' as keeps`.execute(database);
  const [{ version, makes, keeps } = { version: '', makes: false, keeps: true }] = rows;
  if (keeps) throw unusable(url, 'readOnly');
  if (!makes) throw unusable(url, 'forbidden');
  const before = Date.now();
  const { rows: times } = await sql<{ now: number }>`select ${databaseNow(database)} as now`.execute(
    database,
  );
  const ahead = Math.round((before + Date.now()) / 2) - (times[0]?.now ?? before);
  return { version: version.split(' ')[0] ?? '', pending, ahead, isDurable: await isDurable(database) };
}
