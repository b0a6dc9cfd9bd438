import { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import { identityOf, putStrayLogAside } from './database-file.ts';
import { Fifo } from './fifo.ts';
import { GroupCommit } from './group-commit.ts';
import { retryWhileLocked } from './retry-while-locked.ts';
import { Statements } from './statements.ts';
import { type Disk, Flushes, walOf } from './wal.ts';

/**
 * A render's row must be on disk before its request is sent, or a power cut could buy it twice. With `synchronous =
 * full` SQLite would block the event loop while the disk writes; so it only guarantees the write order, and {@link
 * Flushes} flushes to disk before any commit is reported. Checkpoints run there too; SQLite makes one itself only if
 * the log has become much too long (in pages).
 */
const pragmas = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma wal_autocheckpoint = 20000;
  pragma foreign_keys = on`;

/**
 * One connection shared by all, first come, first served; writes made at about the same time are committed together.
 * A transaction may wait only for its own queries: earlier writes may be committed with it.
 */
export class OneConnectionDriver implements Driver {
  readonly #open: () => { readonly database: DatabaseSync; readonly release: () => void };
  readonly #clock: Clock;
  readonly #diskOf: (file: string) => Disk;
  readonly #line = new Fifo();
  #opened: { readonly dependencies: LeaseDependencies; readonly close: () => Promise<void> } | undefined;

  constructor(
    open: () => { readonly database: DatabaseSync; readonly release: () => void },
    clock: Clock,
    diskOf = walOf,
  ) {
    this.#open = open;
    this.#clock = clock;
    this.#diskOf = diskOf;
  }

  async init(): Promise<void> {
    const { database, release } = this.#open();
    const clock = this.#clock;
    const file = database.location();
    const identity = file === null ? undefined : identityOf(file);
    let reading: DatabaseSync | undefined;
    let flushes: Flushes | undefined;
    const close = async () => {
      await flushes?.close();
      reading?.close();
      database.close();
      if (file !== null) putStrayLogAside(file, identity);
      release();
    };
    try {
      await retryWhileLocked(clock, () => database.exec(pragmas));
      if (file !== null) {
        reading = new DatabaseSync(file, { readOnly: true, timeout: 0 });
        flushes = new Flushes(this.#diskOf(file), clock);
      }
    } catch (error) {
      await close();
      throw error;
    }
    const dependencies: LeaseDependencies = {
      database,
      clock,
      statements: new Statements(database),
      commits: new GroupCommit(database, clock, this.#line, flushes),
      reading: reading && new Statements(reading),
      line: this.#line,
    };
    this.#opened = { dependencies, close };
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#opened) throw new Error('the database is not open');
    return new Lease(this.#opened.dependencies);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    leaseOf(connection).leave();
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return leaseOf(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return leaseOf(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return leaseOf(connection).rollback();
  }

  async destroy(): Promise<void> {
    if (!this.#opened) return;
    await this.#line.enter();
    await this.#opened.dependencies.commits.commit();
    await this.#opened.close();
    // New requests get the error that it is closed.
    this.#line.leave();
  }
}

interface LeaseDependencies {
  readonly database: DatabaseSync;
  readonly clock: Clock;
  readonly statements: Statements;
  readonly commits: GroupCommit;
  /**
   * Reads committed data without waiting. Undefined for an in-memory database, which has no disk to wait for either:
   * every write is committed at once.
   */
  readonly reading: Statements | undefined;
  readonly line: Fifo;
}

/** Statements that can join a group. Others (pragmas, `vacuum`) run alone. */
const isWrite = /^\s*(?:insert|update|delete)\b/i;
const isRead = /^\s*select\b/i;

/** A handle on the connection for one query or transaction; it queues for the connection when it needs it. */
class Lease implements DatabaseConnection {
  readonly #dependencies: LeaseDependencies;
  #inTransaction = false;
  #isFirst = false;

  constructor(dependencies: LeaseDependencies) {
    this.#dependencies = dependencies;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { commits, statements, reading, line } = this.#dependencies;
    if (this.#inTransaction) return this.#run<Row>(statements, query);
    const isReading = isRead.test(query.sql);
    if (isReading && reading) {
      await line.breathe();
      return this.#run<Row>(reading, query);
    }
    await this.#enter();
    const standsAlone = !isReading && !isWrite.test(query.sql);
    if (standsAlone) await commits.commit();
    else if (!isReading) await commits.join();
    const result = await this.#run<Row>(statements, query);
    await (standsAlone ? commits.flush() : this.#committed());
    return result;
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    await this.#enter();
    await this.#dependencies.commits.commit();
    for (const row of this.#dependencies.database.prepare(sql).iterate(...(parameters as never[]))) {
      yield { rows: [row as Row] };
    }
  }

  async begin(): Promise<void> {
    await this.#enter();
    await this.#dependencies.commits.join();
    this.#dependencies.database.exec('savepoint own');
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    this.#dependencies.database.exec('release own');
    this.#inTransaction = false;
    await this.#committed();
  }

  async rollback(): Promise<void> {
    const { database, commits, reading } = this.#dependencies;
    this.#inTransaction = false;
    if (!commits.open) return;
    try {
      database.exec('rollback to own; release own');
    } catch (error) {
      commits.lose(error);
      throw error;
    }
    if (!reading) await commits.commit();
  }

  leave(): void {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    this.#dependencies.line.leave();
  }

  async #enter(): Promise<void> {
    if (this.#isFirst) return;
    await this.#dependencies.line.enter();
    this.#isFirst = true;
  }

  /** Waits until it is on disk. Others continue meanwhile. */
  async #committed(): Promise<void> {
    const { commits, reading } = this.#dependencies;
    const group = commits.open;
    if (!group) return;
    if (reading) this.leave();
    else await commits.commit();
    await group.done;
  }

  async #run<Row>(statements: Statements, { sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { clock, commits } = this.#dependencies;
    try {
      return await retryWhileLocked(clock, () => {
        const { statement, hasRows } = statements.prepare(sql);
        if (hasRows) return { rows: statement.all(...(parameters as never[])) as Row[] };
        const { changes, lastInsertRowid } = statement.run(...(parameters as never[]));
        return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
      });
    } catch (error) {
      commits.check(error);
      throw error;
    }
  }
}

function leaseOf(connection: DatabaseConnection): Lease {
  if (connection instanceof Lease) return connection;
  throw new Error('a connection of another driver');
}
