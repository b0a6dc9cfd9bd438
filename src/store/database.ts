import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations/index.ts';
import { nodeSqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The database could not be opened; the message says why and what to do, for the operator. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/**
 * Opens the database at `url` (`sqlite:FILE`, or `sqlite::memory:`) and brings its tables up to date.
 * @throws {DatabaseError} where it was written by a newer troupe, is damaged, or is locked.
 */
export async function openDatabase(url: string): Promise<Database> {
  const database = new Kysely<Tables>({ dialect: nodeSqliteDialect(url.slice('sqlite:'.length)) });
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.destroy().catch(() => {});
    throw explained(error, url);
  }
}

async function migrate(database: Database): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

function explained(error: unknown, url: string): DatabaseError {
  const detail = error instanceof Error ? error.message : String(error);
  return new DatabaseError(`${url}: ${reason(detail)}`, { cause: error });
}

function reason(detail: string): string {
  if (/previously executed migration .* is missing/.test(detail)) {
    return 'it was written by a newer version of troupe; run that version, or restore a backup made before it';
  }
  if (/database is locked/.test(detail)) return 'another process holds it; stop that one first';
  if (/malformed|not a database/.test(detail)) return 'the file is damaged; restore a backup';
  if (/database or disk is full/.test(detail)) return 'the disk is full';
  if (/unable to open/.test(detail))
    return 'the file cannot be opened; check that its folder can be written to';
  return detail;
}
