import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { ClientBase, ClientConfig, Pool, PoolClient } from 'pg';
import { longestTimer } from '../../lib/clock.ts';
import { isCrowded, isLost, PostgresError, told } from '../database-error.ts';
import {
  type Connection,
  despiteCollisions,
  type OpenDatabase,
  unwatched,
  type WatchedDialect,
  WatchedDriver,
} from '../driver.ts';

/** How long it may take to connect, in seconds: a person is still told within Discord's three. */
const connectTimeout = 2;

/**
 * How every connection is made. The address means what it means to PostgreSQL's own programs: `sslmode=require`
 * encrypts, `sslmode=verify-full` also checks the server's certificate, `sslrootcert=system` does so by the authorities that
 * everybody knows, and `connect_timeout` is in seconds.
 */
export function connectionSettings(url: string): ClientConfig {
  const address = new URL(url);
  const { searchParams } = address;
  if (!searchParams.has('uselibpqcompat')) searchParams.set('uselibpqcompat', 'true');
  // The library takes it for a file's name.
  if (searchParams.get('sslrootcert') === 'system') {
    searchParams.delete('sslrootcert');
    searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: address.href,
    application_name: 'troupe',
    connectionTimeoutMillis: connectionTimeout(searchParams.get('connect_timeout') ?? ''),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  };
}

/** In milliseconds; 0, which is no limit, also for what's below. */
function connectionTimeout(seconds: string): number {
  const limit = /^-?\d+$/.test(seconds) ? Number(seconds) : connectTimeout;
  return Math.min(Math.max(0, 1_000 * limit), longestTimer);
}

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

/** Kysely's PostgreSQL dialect with the limits that a bot needs. `pg` is loaded only here. What fails, fails as {@link PostgresError}. */
export function postgresDialect(url: string, watch = unwatched(), limits = standardLimits): WatchedDialect {
  return {
    watch,
    createDriver: () => new WatchedDriver(() => opened(url, limits), watch),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

async function opened(url: string, limits: TimeLimits): Promise<OpenDatabase> {
  const pool = await openPool(url, limits);
  return {
    connect: () => new PoolConnection(pool),
    close: () => pool.end(),
    get use() {
      const { totalCount, idleCount, waitingCount } = pool;
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
    },
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

/** How long a process makes do with fewer connections where the server has no more, in milliseconds. */
const fewerFor = 60_000;

/**
 * A connection; where the server has no more to give, one of those that there are, once it's free.
 * @throws that the server has no more where none becomes free in time.
 */
async function connected(pool: Pool): Promise<PoolClient> {
  let refusal: unknown;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isCrowded(error) || pool.totalCount === 0) throw refusal ?? error;
      refusal = error;
      if (pool.options.max === mostConnections)
        setTimeout(() => (pool.options.max = mostConnections), fewerFor).unref();
      pool.options.max = pool.totalCount;
    }
  }
}

/** A server or role may end what takes a while, or is quiet for one. PostgreSQL 13 has no such settings. */
export const liftLimits = `select set_config(name, '0', false)
  from unnest(array['transaction_timeout', 'idle_session_timeout']) as name
  where current_setting(name, true) is not null`;

/**
 * The server ends what takes too long, and the transaction of a process that stands still, which keeps others waiting.
 * Each statement sees what others have committed by then, also after a wait for a lock. What the server has confirmed is
 * on its disk, and on a synchronous standby's if it has one. A server or role may be set up otherwise. Poolers don't take
 * such settings in the address.
 */
const settings = ({ longestStatement, longestWaitForLock }: TimeLimits) => `
  set statement_timeout = ${longestStatement};
  set lock_timeout = ${longestWaitForLock};
  set idle_in_transaction_session_timeout = 10000;
  set default_transaction_isolation = 'read committed';
  ${liftLimits};
  select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') in ('off', 'local')`;

const [bigint, numeric, json] = [20, 1_700, 114];

/** Numbers come as numbers, and JSON as the text that was stored; undefined for every other type. */
function readAsSqlite(type: number): ((text: string) => unknown) | undefined {
  if (type === bigint || type === numeric) return Number;
  return type === json ? String : undefined;
}

/** Statements that do nothing twice: where the connection has ended they are made again on another. */
const repeatable = /^\s*(?:select|begin)\b/i;

/** A connection of the pool, taken when it's first needed. */
class PoolConnection implements Connection {
  readonly #pool: Pool;
  #client: PoolClient | undefined;
  #inTransaction = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await (this.#inTransaction
      ? this.#send(query)
      : this.#persist(query));
    const isWrite = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
    return { ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }), rows: rows as Row[] };
  }

  async begin(): Promise<void> {
    await this.#persist(CompiledQuery.raw('begin'));
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    const { command } = await this.#send(CompiledQuery.raw('commit'));
    this.#inTransaction = false;
    // That is PostgreSQL's answer where a statement before had failed.
    if (command === 'ROLLBACK') throw new Error('the transaction had failed before it was committed');
  }

  /** Never fails: the server rolls back what a closed connection had begun. */
  async rollback(): Promise<void> {
    try {
      await this.#send(CompiledQuery.raw('rollback'));
      this.#inTransaction = false;
    } catch {
      this.leave();
    }
  }

  /** Gives the connection back; closes one that is in the middle of a transaction. */
  leave(): void {
    this.#client?.release(this.#inTransaction);
    this.#client = undefined;
    this.#inTransaction = false;
  }

  /** Makes a statement outside of transactions again where it certainly did nothing, or does nothing twice. */
  #persist(query: CompiledQuery) {
    return despiteCollisions(async () => {
      try {
        return await this.#send(query);
      } catch (error) {
        if (!isLost(error) || !repeatable.test(query.sql)) throw error;
        return this.#send(query);
      }
    });
  }

  async #send({ sql, parameters }: CompiledQuery) {
    if (!this.#client && this.#inTransaction)
      throw new PostgresError(new Error('the connection was terminated'));
    this.#client ??= await told(() => connected(this.#pool));
    const client = this.#client;
    try {
      return await told(() => client.query(sql, parameters.map(storable)));
    } catch (error) {
      if (isLost(error)) {
        client.release(true);
        this.#client = undefined;
      }
      throw error;
    }
  }
}

/** PostgreSQL stores every character but one, which nobody sees. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
