import { inject } from 'vitest';
import { endsWithFile } from '../../at-end.ts';

/** A kind of database that behaviour is tested on: `describe.each(databases)('on $name', ({ fresh }) => …)`. */
export interface TestedDatabase {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** The address of a new database, for `openDatabase`. */
  fresh(): Promise<string>;
}

/** Asks the server of the run (see run-wide.ts) for a new database; dropped when the file's tests are done. */
async function request(kind: 'migrated' | 'empty'): Promise<string> {
  const response = await fetch(`${inject('postgresDatabases')}${kind}`, { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const path = new URL(text).pathname;
  endsWithFile(() => fetch(`${inject('postgresDatabases')}${path.slice(1)}`, { method: 'DELETE' }));
  return text;
}

/** The address of a new PostgreSQL database with the tables of today. */
export const freshPostgres = (): Promise<string> => request('migrated');

/** The address of a new, empty PostgreSQL database. */
export const emptyPostgres = (): Promise<string> => request('empty');

export const databases: readonly TestedDatabase[] = [
  { name: 'SQLite', fresh: async () => 'sqlite::memory:' },
  { name: 'PostgreSQL', fresh: freshPostgres },
];
