import type { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { untilDone, type Waits } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { Fifo } from './fifo.ts';

/** Between tries while another process has the database locked, in milliseconds. */
const waits: Waits = { first: 5, longest: 250 };
/** So many tries take half a minute. */
const mostTries = 125;
const SQLITE_BUSY = 5;
/** A commit waits for the disk, some milliseconds: as long as so many other statements. */
const weightOfCommit = 16;

/** Whether another process has the database locked just now. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}

/**
 * One connection for all, first come first served. SQLite itself never waits for a lock, which would hold the event
 * loop: a statement that meets one is tried again later, for half a minute. Transactions take the write lock when
 * they begin, so that they meet it there and nowhere else.
 */
export class OneConnectionDriver implements Driver {
  readonly #open: () => { readonly database: DatabaseSync; readonly release: () => void };
  readonly #clock: Clock;
  readonly #line = new Fifo();
  #opened: { readonly connection: SqliteConnection; readonly close: () => void } | undefined;

  constructor(open: () => { readonly database: DatabaseSync; readonly release: () => void }, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  async init(): Promise<void> {
    const { database, release } = this.#open();
    const close = () => {
      database.close();
      release();
    };
    try {
      // FULL: a render's row must be on the disk before its request is sent, or a power cut could buy it twice.
      const pragmas = 'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on';
      await patiently(this.#clock, () => database.exec(pragmas));
    } catch (error) {
      close();
      throw error;
    }
    const inMemory = database.location() === null;
    const committed = () => (inMemory ? undefined : this.#line.weigh(weightOfCommit));
    this.#opened = { connection: new SqliteConnection(database, this.#clock, committed), close };
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#line.enter();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#line.leave();
  }

  async beginTransaction(): Promise<void> {
    // What a failed rollback left would make every later transaction fail.
    if (this.#connection.inTransaction) await this.#connection.execute('rollback');
    await this.#connection.execute('begin immediate');
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.execute('commit');
  }

  /** SQLite ends a transaction by itself where the disk is full: then there is nothing to roll back. */
  async rollbackTransaction(): Promise<void> {
    if (this.#connection.inTransaction) await this.#connection.execute('rollback');
  }

  async destroy(): Promise<void> {
    this.#opened?.close();
  }

  get #connection(): SqliteConnection {
    if (!this.#opened) throw new Error('the database is not open');
    return this.#opened.connection;
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #committed: () => void;

  constructor(database: DatabaseSync, clock: Clock, committed: () => void) {
    this.#database = database;
    this.#clock = clock;
    this.#committed = committed;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  async execute(sql: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql));
  }

  executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return patiently(this.#clock, () => {
      const statement = this.#database.prepare(sql);
      if (statement.columns().length > 0) return { rows: statement.all(...(parameters as never[])) as Row[] };
      const { changes, lastInsertRowid } = statement.run(...(parameters as never[]));
      if (!this.#database.isTransaction) this.#committed();
      return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
    });
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    for (const row of this.#database.prepare(sql).iterate(...(parameters as never[]))) {
      yield { rows: [row as Row] };
    }
  }
}

/** Does at once what can be done at once, and tries again what meets another process's lock. */
async function patiently<T>(clock: Clock, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    const failed = (again: unknown, tries: number) => {
      if (!isBusy(again) || tries >= mostTries) throw again;
    };
    return untilDone(async () => work(), { clock, waits, failed });
  }
}
