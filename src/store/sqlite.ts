import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, type SqliteDatabase, SqliteDialect } from 'kysely';

/** Kysely's SQLite dialect over Node's own SQLite, so that nothing has to be compiled or fetched. */
export function nodeSqliteDialect(file: string): Dialect {
  return new SqliteDialect({ database: async () => openFile(file) });
}

function openFile(file: string): SqliteDatabase {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const release = claim(file);
  try {
    return connect(file, release);
  } catch (error) {
    release();
    throw error;
  }
}

function connect(file: string, closed: () => void): SqliteDatabase {
  const database = new DatabaseSync(file);
  // FULL: a render's row must be on the disk before its request is sent, or a power cut could buy it twice.
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000',
  );
  return {
    close: () => {
      database.close();
      closed();
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...(parameters as never[])),
        run: (parameters) => statement.run(...(parameters as never[])),
        iterate: (parameters) => statement.iterate(...(parameters as never[])),
      };
    },
  };
}

/**
 * Claims a database file for this process, until the returned function is called or the process ends, however it
 * ends. Two bots on one file would each carry on the same renders and pay for them twice; SQLite itself would let
 * them.
 */
function claim(file: string): () => void {
  if (file === ':memory:') return () => {};
  const lock = new DatabaseSync(`${file}-lock`);
  try {
    lock.exec('pragma busy_timeout = 0; begin exclusive');
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => lock.close();
}
