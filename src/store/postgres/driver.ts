import { setTimeout as wait } from 'node:timers/promises';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { PoolUse } from '../measured-dialect.ts';
import { PostgresError, told } from './errors.ts';

/** Kysely's driver over a pool of connections. What fails, fails as {@link PostgresError}. */
export class PoolDriver implements Driver {
  readonly #open: () => Promise<Pool>;
  #pool: Pool | undefined;

  constructor(open: () => Promise<Pool>) {
    this.#open = open;
  }

  /** What its connections are doing. */
  get use(): PoolUse {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = this.#pool ?? {};
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async init(): Promise<void> {
    this.#pool = await this.#open();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#pool) throw new Error('the database is not open');
    return new Connection(this.#pool);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ours(connection).leave();
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).rollback();
  }

  async destroy(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }
}

/** How often a statement is tried that certainly did nothing. */
const mostTries = 5;

/** Statements that do nothing twice: where the connection has ended they are made again on another. */
const repeatable = /^\s*(?:select|begin)\b/i;

/** A connection of the pool, taken when it's first needed. */
class Connection implements DatabaseConnection {
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

  // biome-ignore lint/correctness/useYield: nothing is streamed: long results are read in pages, from either kind of database.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries are not streamed');
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
  async #persist(query: CompiledQuery) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#send(query);
      } catch (error) {
        if (!(error instanceof PostgresError)) throw error;
        const again =
          error.isCollision || (error.endsConnection && repeatable.test(query.sql) && tries === 1);
        if (!again || tries === mostTries) throw error;
        // Those that collided shouldn't meet again.
        if (error.isCollision) await wait(Math.random() * 10 * 2 ** tries);
      }
    }
  }

  async #send({ sql, parameters }: CompiledQuery) {
    if (!this.#client && this.#inTransaction)
      throw new PostgresError(new Error('the connection was terminated'));
    this.#client ??= await told(() => this.#pool.connect());
    const client = this.#client;
    try {
      return await told(() => client.query(sql, parameters.map(storable)));
    } catch (error) {
      if (error instanceof PostgresError && error.endsConnection) {
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

function ours(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection;
  throw new Error('a connection of another driver');
}
