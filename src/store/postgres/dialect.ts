import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { connectionSettings } from './connection-settings.ts';
import { PoolDriver } from './driver.ts';

/** Connections of a process, at most: a server has some hundred for all its clients. */
const mostConnections = 10;

/** How long a statement may take on the server, in milliseconds. Ours take some; where it's more, something is wrong. */
const standardLimit = 5_000;

/**
 * Kysely's PostgreSQL dialect with the limits that a bot needs. `longestStatement` is in milliseconds; 0 for as long as
 * it takes, as for migrations. `pg` is loaded only here.
 */
export function postgresDialect(url: string, { longestStatement = standardLimit } = {}): Dialect {
  return {
    createDriver: () => new PoolDriver(() => openPool(url, longestStatement)),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

async function openPool(url: string, longestStatement: number): Promise<Pool> {
  const { Pool, types } = await import('pg');
  const ended = () => {};
  const pool = new Pool({
    ...connectionSettings(url),
    max: mostConnections,
    idleTimeoutMillis: 60_000,
    types: { getTypeParser: (type, format) => readAsSqlite(type) ?? types.getTypeParser(type, format) },
    // A machine that lost its power answers nothing, and closes nothing: only our own clock ends that.
    ...(longestStatement > 0 && { query_timeout: longestStatement + 1_000 }),
    // The pool awaits it, which its types don't say.
    onConnect: async (client: ClientBase) => {
      // Where a connection ends its query fails, which is enough; without a listener, it would end the process.
      client.on('error', ended);
      await client.query(longestStatement > 0 ? limits(longestStatement) : idleLimit);
    },
  });
  pool.on('error', ended);
  return pool;
}

/** The server ends the transaction of a process that stands still, which keeps others waiting. */
const idleLimit = 'set idle_in_transaction_session_timeout = 10000';
/** It also ends what takes too long. Poolers don't take such settings in the address. */
const limits = (longestStatement: number) =>
  `set statement_timeout = ${longestStatement}; set lock_timeout = 3000; ${idleLimit}`;

const [bigint, numeric, json] = [20, 1_700, 114];

/** Numbers come as numbers, and JSON as the text that was stored; undefined for every other type. */
function readAsSqlite(type: number): ((text: string) => unknown) | undefined {
  if (type === bigint || type === numeric) return Number;
  return type === json ? String : undefined;
}
