import { Kysely } from 'kysely';
import { systemClock } from '../../lib/clock.ts';
import { type Database, explainDatabaseError, openDatabase } from '../database.ts';
import { nodeSqliteDialect } from '../sqlite/dialect.ts';
import type { Tables } from '../tables/index.ts';
import { inspectDatabase } from './inspect.ts';

/**
 * Opens the database at `url` for a few rows, also while the bot holds it: both see what the other has written, and
 * writes wait for each other up to five seconds. Where there is none yet, or one of an older version, it is made as
 * the bot would.
 * @throws {DatabaseError} as `openDatabase`, or where another process keeps it locked.
 */
export async function openDatabaseAlongside(url: string): Promise<Database> {
  const { exists, pending } = inspectDatabase(url);
  if (!exists || pending > 0) return openDatabase(url);
  try {
    return new Kysely<Tables>({
      dialect: nodeSqliteDialect(url.slice('sqlite:'.length), systemClock, false),
    });
  } catch (error) {
    throw explainDatabaseError(error, url);
  }
}
