import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { isPostgresUrl } from '../../src/lib/database-url.ts';
import { noMeter } from '../../src/lib/telemetry.ts';
import { watchedDatabase } from '../../src/store/database.ts';
import { type Database, DatabaseWatch } from '../../src/store/index.ts';
import { migrate } from '../../src/store/migrations/index.ts';
import { postgresDialect } from '../../src/store/postgres/driver.ts';
import { nodeSqliteDialect } from '../../src/store/sqlite/driver.ts';
import { endsWithTest } from '../at-end.ts';

const watchOf = (clock: Clock) => new DatabaseWatch(noMeter, clock);

/**
 * Opens a database as `openDatabase` does, without making its tables: SQLite gets a copy of those that were made once in
 * this process, PostgreSQL has them (`freshPostgres`). That takes a tenth of the time.
 */
export async function openMigrated(
  url = 'sqlite::memory:',
  clock: Clock = systemClock,
  watch = watchOf(clock),
): Promise<Database> {
  if (isPostgresUrl(url)) return watchedDatabase(postgresDialect(url, watch));
  const file = url.slice('sqlite:'.length);
  const bytes = await migrated();
  if (file === ':memory:') {
    const memory = new DatabaseSync(file, { timeout: 0 });
    memory.deserialize(bytes);
    return watchedDatabase(memoryDialect(memory, clock, watch));
  }
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return watchedDatabase(nodeSqliteDialect(file, { clock, watch }));
}

/** The same, which ends with the test. */
export async function databaseOfTest(...given: Parameters<typeof openMigrated>): Promise<Database> {
  const database = await openMigrated(...given);
  endsWithTest(() => database.destroy());
  return database;
}

/** The URL of a database in that folder which has its tables: a bot that starts there needs a tenth of the time. */
export async function migratedIn(folder: string): Promise<string> {
  const file = join(folder, 'troupe.db');
  writeFileSync(file, await migrated());
  return `sqlite:${file}`;
}

/** Takes tables away, as if the database were; brings them back. */
export async function takeAway(
  database: Database,
  ...tables: readonly ('jobs' | 'keyv')[]
): Promise<() => Promise<void>> {
  const rename = async (from: string, to: string) => {
    for (const table of tables)
      await sql.raw(`alter table ${table}${from} rename to ${table}${to}`).execute(database);
  };
  await rename('', '_away');
  return () => rename('_away', '');
}

let refusals = 0;

/** Refuses to write, as in `insert on keyv`, what this is so of; takes it again once what is returned is called. */
export async function refuse(database: Database, what: string, when = 'true'): Promise<() => Promise<void>> {
  const name = `refusal_${refusals++}`;
  const trigger = `create trigger ${name} before ${what} when ${when}`;
  await sql.raw(`${trigger} begin select raise(abort, 'full'); end`).execute(database);
  return async () => void (await sql.raw(`drop trigger ${name}`).execute(database));
}

let made: Promise<Uint8Array> | undefined;

function migrated(): Promise<Uint8Array> {
  made ??= (async () => {
    const memory = new DatabaseSync(':memory:');
    const database = watchedDatabase(memoryDialect(memory, systemClock));
    await migrate(database, ':memory:');
    const bytes = memory.serialize();
    await database.destroy();
    return bytes;
  })();
  return made;
}

const memoryDialect = (memory: DatabaseSync, clock: Clock, watch = watchOf(clock)) =>
  nodeSqliteDialect(':memory:', { clock, watch, open: () => ({ database: memory, release: () => {} }) });
