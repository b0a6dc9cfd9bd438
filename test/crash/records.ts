import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { Postgres } from '../fakes/postgres/postgres.ts';

type Row = Readonly<Record<string, unknown>>;

/** The database of a bot that is killed, and a look into it from outside. */
export interface Records {
  readonly url: string;
  /** `?` stands for a value. */
  rows(query: string, ...values: readonly string[]): Promise<readonly Row[]>;
  /** Kills the server of the database and starts it again; absent where there is none. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

export const records = { sqlite: sqliteRecords, postgres: postgresRecords };

async function sqliteRecords(): Promise<Records> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-crash-'));
  const file = join(folder, 'troupe.db');
  return {
    url: `sqlite:${file}`,
    async rows(query, ...values) {
      const database = new DatabaseSync(file, { readOnly: true });
      try {
        return database.prepare(query).all(...values);
      } finally {
        database.close();
      }
    },
    close: () => rm(folder, { recursive: true }),
  };
}

async function postgresRecords(): Promise<Records> {
  const server = await Postgres.start();
  return {
    url: server.url(),
    async rows(query, ...values) {
      const client = new Client({ connectionString: server.url() });
      await client.connect();
      try {
        let count = 0;
        const { rows } = await client.query<Row>(
          query.replaceAll('?', () => `$${++count}`),
          [...values],
        );
        return rows;
      } finally {
        await client.end();
      }
    },
    async restart() {
      await server.kill();
      await server.start();
    },
    close: () => server.close(),
  };
}
