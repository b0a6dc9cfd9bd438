import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { connectionSettings } from './connection-settings.ts';
import { PoolDriver } from './driver.ts';

/** Connections of a process, at most: a server has some hundred for all its clients. */
const mostConnections = 10;

/** How long a statement may take on the server, in milliseconds. Ours take some; where it's more, something is wrong. */
const standardLimit = 5_000;

/** How long a statement may take, and wait for another's lock, in milliseconds; 0: as long as it takes. */
export interface TimeLimits {
  readonly longestStatement: number;
  readonly longestWaitForLock: number;
}

const standardLimits: TimeLimits = { longestStatement: standardLimit, longestWaitForLock: 3_000 };

/** Kysely's PostgreSQL dialect with the limits that a bot needs. `pg` is loaded only here. */
export function postgresDialect(url: string, limits = standardLimits): Dialect {
  return {
    createDriver: () => new PoolDriver(() => openPool(url, limits)),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

async function openPool(url: string, limits: TimeLimits): Promise<Pool> {
  const { longestStatement } = limits;
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
      await client.query(settings(limits));
    },
  });
  pool.on('error', ended);
  return pool;
}

/**
 * The server ends what takes too long, and the transaction of a process that stands still, which keeps others waiting.
 * What it has confirmed is on its disk, and on a synchronous standby's if it has one: a server or role may be set up
 * otherwise. Poolers don't take such settings in the address.
 */
const settings = ({ longestStatement, longestWaitForLock }: TimeLimits) => `
  set statement_timeout = ${longestStatement};
  set lock_timeout = ${longestWaitForLock};
  set idle_in_transaction_session_timeout = 10000;
  select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') in ('off', 'local')`;

const [bigint, numeric, json] = [20, 1_700, 114];

/** Numbers come as numbers, and JSON as the text that was stored; undefined for every other type. */
function readAsSqlite(type: number): ((text: string) => unknown) | undefined {
  if (type === bigint || type === numeric) return Number;
  return type === json ? String : undefined;
}
