import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { isPostgresUrl } from '../../lib/database-url.ts';
import { DatabaseError, explainDatabaseError, unusable } from '../database-error.ts';
import { type Database, openDatabase, watchedDatabase } from '../database.ts';
import { databaseNow, isPostgres } from '../driver.ts';
import { requireOpenFolders } from '../files.ts';
import { countPending, madeIn, requireUsable, usableIn } from '../migrations/index.ts';
import { postgresDialect } from '../postgres/driver.ts';
import { checkServer } from '../postgres/prepare.ts';
import { keyRange, valueIn } from '../records.ts';
import { faultOfFile } from '../sqlite/database-file.ts';
import { nodeSqliteDialect } from '../sqlite/driver.ts';

/** The state of a database. */
export interface DatabaseState {
  readonly exists: boolean;
  /** Number of pending migrations. */
  readonly pending: number;
}

/** How long to wait for another process, in milliseconds. */
const patience = 2_000;

/**
 * Inspects the database at `url` (`sqlite:FILE`, or `sqlite::memory:`) without changing anything.
 * @throws {DatabaseError} if the bot couldn't use it.
 */
export function inspectDatabase(url: string): DatabaseState {
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:') return { exists: false, pending: countPending([]) };
  if (!isWritable(file)) throw unusable(url, 'closed');
  requireOpenFolders(dirname(file));
  const fault = faultOfFile(file);
  if (fault !== undefined) throw new DatabaseError(`${url}: ${fault}`);
  if (!existsSync(file)) return { exists: false, pending: countPending([]) };
  try {
    using database = new DatabaseSync(file, { readOnly: true, timeout: patience });
    return { exists: true, pending: countPending(readable(database, url)) };
  } catch (error) {
    throw explainDatabaseError(error, url);
  }
}

/** A value stored by `openKeyv`, and its key without the namespace. */
export interface StoredValue {
  readonly key: string;
  readonly value: unknown;
}

/**
 * Reads the values that `openKeyv` stored in a namespace under keys with this prefix, in the intact database at
 * `url`, without changing anything; for processes other than the bot. Expired values are left out.
 */
export async function storedValues(
  url: string,
  namespace: string,
  prefix: string,
): Promise<readonly StoredValue[]> {
  if (isPostgresUrl(url)) return storedInPostgres(url, namespace, prefix);
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:' || !existsSync(file)) return [];
  using database = new DatabaseSync(file, { readOnly: true, timeout: patience });
  if (usableIn(database, url).length === 0) return [];
  const { begin, end, keyOf } = keyRange(namespace, prefix);
  return database
    .prepare('select key, value from keyv where key >= ? and key < ? and ifnull(expires, ?) > ?')
    .all(begin, end, Number.MAX_SAFE_INTEGER, Date.now())
    .map(({ key, value }) => ({ key: keyOf(String(key)), value: valueIn(String(value)) }));
}

function storedInPostgres(url: string, namespace: string, prefix: string): Promise<readonly StoredValue[]> {
  const { begin, end, keyOf } = keyRange(namespace, prefix);
  return lookInto(url, async (database) => {
    if ((await madeIn(database)).length === 0) return [];
    const rows = await database
      .selectFrom('keyv')
      .select(['key', 'value'])
      .where('key', '>=', begin)
      .where('key', '<', end)
      .where(({ eb, or }) => or([eb('expires', 'is', null), eb('expires', '>', Date.now())]))
      .execute();
    return rows.map(({ key, value }) => ({ key: keyOf(key), value: valueIn(value) }));
  });
}

/** With fewer bytes left the bot can't make its tables, or go on for long. */
const leastRoom = 2 ** 20;

/** Whether the disk of the database at `url` is full. Some systems don't tell. */
export function isDiskFull(url: string): boolean {
  const file = url.slice('sqlite:'.length);
  if (file === ':memory:') return false;
  const { blocks, bavail, bsize } = statfsSync(folderFor(file));
  return blocks > 0 && bavail * bsize < leastRoom;
}

/** The folder of a file, or the one that it would be made in. */
function folderFor(file: string): string {
  const folder = dirname(resolve(file));
  return existsSync(folder) ? folder : folderFor(folder);
}

/** Whether the file is writable if it exists, and its folder. */
function isWritable(file: string): boolean {
  const folder = folderFor(file);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Checks that an open database, named by `about`, is troupe's and intact.
 * @throws {DatabaseError}
 */
export function checkTables(database: DatabaseSync, about: string): void {
  if (readable(database, about).length === 0) throw unusable(about, 'foreign');
}

/** Names of the applied migrations. @throws {DatabaseError} if this version can't read the database. */
function readable(database: DatabaseSync, about: string): readonly string[] {
  requireIntact(database, about);
  return usableIn(database, about);
}

/** Reads all pages of an open database, named by `about`. @throws {DatabaseError} if one is damaged. */
export function requireIntact(database: DatabaseSync, about: string): void {
  const [check] = database.prepare('pragma quick_check(1)').all();
  if (check?.quick_check !== 'ok') throw unusable(about, 'damaged');
}

/**
 * Opens the PostgreSQL database at `url` to look at it: its tables are neither made nor changed.
 * @throws {DatabaseError} if it can't be used: the message says why.
 */
export async function lookInto<T>(url: string, look: (database: Database) => Promise<T>): Promise<T> {
  const database = watchedDatabase(postgresDialect(url));
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
  const before = Date.now();
  const { rows } = await sql<{ version: string; makes: boolean; keeps: boolean; now: number }>`
    select current_setting('server_version') as version,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as makes,
      current_setting('transaction_read_only') = 'on' as keeps, ${databaseNow(database)} as now`.execute(
    database,
  );
  const [{ version, makes, keeps, now } = { version: '', makes: false, keeps: true, now: before }] = rows;
  const ahead = Math.round((before + Date.now()) / 2) - now;
  if (keeps) throw unusable(url, 'readOnly');
  if (!makes) throw unusable(url, 'forbidden');
  await expectRoom(database);
  return { version: version.split(' ')[0] ?? '', pending, ahead, isDurable: await isDurable(database) };
}

/** Makes a table, which takes room on the disk, and takes it back. @throws what the server says. */
async function expectRoom(database: Database): Promise<void> {
  const undone = new Error('taken back');
  const work = database.transaction().execute(async (transaction) => {
    await sql`create table doctor_probe as select generate_series(1, 5000)`.execute(transaction);
    throw undone;
  });
  await work.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
}

/**
 * Opens the database at `url` for a few rows, also while the bot has it open: each sees the other's writes. A missing
 * or older database is created or migrated like the bot does.
 * @throws {DatabaseError} like `openDatabase`.
 */
export async function openDatabaseAlongside(url: string): Promise<Database> {
  if (isPostgresUrl(url)) return openDatabase(url);
  const { exists, pending } = inspectDatabase(url);
  if (!exists || pending > 0) return openDatabase(url);
  return watchedDatabase(nodeSqliteDialect(url.slice('sqlite:'.length), { claims: false }));
}
