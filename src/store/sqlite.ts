import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteDialect, type SqliteStatement } from 'kysely';

/** Kysely's SQLite dialect over Node's own SQLite, so that nothing has to be compiled or fetched. */
export function nodeSqliteDialect(file: string): Dialect {
  return new SqliteDialect({ database: async () => openFile(file) });
}

function openFile(file: string) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  // FULL: a render's row must be on the disk before its request is sent, or a power cut could buy it twice.
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000',
  );
  return {
    close: () => database.close(),
    prepare: (sql: string): SqliteStatement => {
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
