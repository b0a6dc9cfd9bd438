import { Kysely } from 'kysely';
import { isPostgresUrl } from '../../lib/database-url.ts';
import { type Database, openDatabase } from '../database.ts';
import { explainDatabaseError } from '../database-error.ts';
import { nodeSqliteDialect } from '../sqlite/driver.ts';
import type { Tables } from '../tables/index.ts';
import { inspectDatabase } from './inspect.ts';

/**
 * Opens the database at `url` for a few rows, also while the bot has it open: each sees the other's writes, and
 * writes wait for each other up to five seconds. A missing or older database is created or migrated like the bot
 * does.
 * @throws {DatabaseError} like `openDatabase`, or if another process keeps it locked.
 */
export async function openDatabaseAlongside(url: string): Promise<Database> {
  if (isPostgresUrl(url)) return openDatabase(url);
  const { exists, pending } = inspectDatabase(url);
  if (!exists || pending > 0) return openDatabase(url);
  try {
    return new Kysely<Tables>({
      dialect: nodeSqliteDialect(url.slice('sqlite:'.length), { claims: false }),
    });
  } catch (error) {
    throw explainDatabaseError(error, url);
  }
}
