import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { type Clock, systemClock } from '../lib/clock.ts';
import { migrations } from './migrations/index.ts';
import { nodeSqliteDialect } from './sqlite/dialect.ts';
import type { Tables } from './tables/index.ts';

export type Database = Kysely<Tables>;

/** The database could not be opened; the message tells the operator why and what to do. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/**
 * Opens the database at `url` (`sqlite:FILE`, or `sqlite::memory:`) and migrates its tables.
 * @throws {DatabaseError} if a newer troupe wrote it, or it is damaged or locked.
 */
export async function openDatabase(url: string, clock: Clock = systemClock): Promise<Database> {
  const database = new Kysely<Tables>({ dialect: nodeSqliteDialect(url.slice('sqlite:'.length), clock) });
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.destroy().catch(() => {});
    throw explainDatabaseError(error, url);
  }
}

async function migrate(database: Database): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Why a database can't be used, and what to do about it. */
const reasons = {
  newer:
    'it was written by a newer version of troupe; run that version, or put a backup made before it in its place: npm run restore -- BACKUP',
  foreign: 'this isn’t a troupe database',
  locked: 'another process is using it; stop that process first',
  damaged: 'the file is damaged; put a backup in its place: npm run restore -- BACKUP',
  full: 'the disk is full',
  closed: 'the file cannot be opened; check that its folder can be written to',
} as const;

/** The error for a database at `url` that can't be used for a known reason. */
export function unusable(url: string, reason: keyof typeof reasons, cause?: unknown): DatabaseError {
  return new DatabaseError(`${url}: ${reasons[reason]}`, { cause });
}

/** Errors of SQLite and the library that a person can do something about. */
const sayings: readonly (readonly [RegExp, keyof typeof reasons])[] = [
  [/previously executed migration .{1,200} is missing/, 'newer'],
  [/database is locked/, 'locked'],
  [/malformed|not a database/, 'damaged'],
  [/database or disk is full/, 'full'],
  [/unable to open/, 'closed'],
];

/** Whether an error comes from SQLite itself. */
export function isDatabaseError(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'ERR_SQLITE_ERROR';
}

/** Explains an error of the database at `url` to the operator. */
export function explainDatabaseError(error: unknown, url: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const [, reason] = sayings.find(([saying]) => saying.test(detail)) ?? [];
  if (reason !== undefined) return unusable(url, reason, error);
  return new DatabaseError(`${url}: ${detail}`, { cause: error });
}
