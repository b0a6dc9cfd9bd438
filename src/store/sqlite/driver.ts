import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import {
  type Connection,
  type DatabaseWatch,
  isRead,
  type OpenDatabase,
  unwatched,
  type WatchedDialect,
  WatchedDriver,
} from '../driver.ts';
import { usableIn } from '../migrations/index.ts';
import { identityOf, makePrivate, openFile, putStrayLogAside } from './database-file.ts';
import { Fifo, Flushes, GroupCommit, retryWhileLocked, walOf } from './wal.ts';

/** How a SQLite database is opened. */
export interface SqliteOptions {
  readonly clock?: Clock;
  readonly watch?: DatabaseWatch;
  /** Whether the file is this process's alone, as by default; otherwise it's shared with the process that has claimed it. */
  readonly claims?: boolean;
  readonly diskOf?: typeof walOf;
  /** By default the file of the dialect; `release` is called when it's closed. */
  readonly open?: () => { readonly database: DatabaseSync; readonly release: () => void };
}

class Adapter extends SqliteAdapter {
  /** The driver queues for its one connection by itself, first come, first served. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Kysely migrates in one transaction then: whatever ends it in the middle leaves nothing half made. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's SQLite dialect over Node's built-in SQLite, so that nothing has to be compiled or downloaded. */
export function nodeSqliteDialect(file: string, options: SqliteOptions = {}): WatchedDialect {
  const {
    clock = systemClock,
    watch = unwatched(),
    claims = true,
    diskOf = walOf,
    open = () => openFile(file, claims),
  } = options;
  return {
    watch,
    createDriver: () => new WatchedDriver(() => opened(open(), clock, diskOf, watch), watch),
    createAdapter: () => new Adapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

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
async function opened(
  { database, release }: ReturnType<NonNullable<SqliteOptions['open']>>,
  clock: Clock,
  diskOf: typeof walOf,
  watch: DatabaseWatch,
): Promise<OpenDatabase> {
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
    await retryWhileLocked(clock, () => {
      // First: another program's is only read.
      if (file !== null) usableIn(database, `sqlite:${file}`);
      database.exec(pragmas);
    });
    if (file !== null) {
      makePrivate(file);
      reading = new DatabaseSync(file, { readOnly: true, timeout: 0 });
      flushes = new Flushes(diskOf(file), clock, (error) => watch.failed(error));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const line = new Fifo();
  const statements = new Statements(database);
  const commits = new GroupCommit(database, clock, line, flushes);
  const shared: Shared = { clock, statements, commits, reading: reading && new Statements(reading), line };
  return {
    connect: () => new Lease(shared),
    async close() {
      await line.enter();
      await commits.commit();
      await close();
      // What still waits gets the error that it is closed.
      line.leave();
    },
  };
}

/** What all leases share. */
interface Shared {
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

/** A handle on the connection for one query or transaction; it queues for the connection when it needs it. */
class Lease implements Connection {
  readonly #shared: Shared;
  #inTransaction = false;
  #isFirst = false;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { commits, statements, reading, line } = this.#shared;
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

  async begin(): Promise<void> {
    await this.#enter();
    await this.#shared.commits.join();
    this.#shared.statements.execute('savepoint own');
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    this.#shared.statements.execute('release own');
    this.#inTransaction = false;
    await this.#committed();
  }

  async rollback(): Promise<void> {
    const { statements, commits, reading } = this.#shared;
    this.#inTransaction = false;
    if (!commits.open) return;
    try {
      for (const sql of ['rollback to own', 'release own']) statements.execute(sql);
    } catch (error) {
      commits.lose(error);
      throw error;
    }
    if (!reading) await commits.commit();
  }

  leave(): void {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    this.#shared.line.leave();
  }

  async #enter(): Promise<void> {
    if (this.#isFirst) return;
    await this.#shared.line.enter();
    this.#isFirst = true;
  }

  /** Waits until it is on disk. Others continue meanwhile. */
  async #committed(): Promise<void> {
    const { commits, reading } = this.#shared;
    const group = commits.open;
    if (!group) return;
    if (reading) this.leave();
    else await commits.commit();
    await group.promise;
  }

  async #run<Row>(statements: Statements, { sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { clock, commits } = this.#shared;
    try {
      return await retryWhileLocked(clock, () => statements.run<Row>(sql, parameters as SQLInputValue[]));
    } catch (error) {
      commits.check(error);
      throw error;
    }
  }
}

/** The bot has only some dozens of different queries. */
const mostStatements = 200;

/** A compiled SQLite query. */
interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

/** An LRU cache of prepared statements: preparing takes longer than most queries. */
class Statements {
  readonly #database: DatabaseSync;
  readonly #kept = new BoundedMap<string, Prepared>({ most: mostStatements });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run<Row>(sql: string, parameters: SQLInputValue[]): QueryResult<Row> {
    const { statement, hasRows } = this.#prepare(sql);
    if (hasRows) return { rows: statement.all(...parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  execute(sql: string): void {
    this.#prepare(sql).statement.run();
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#kept.get(sql);
    if (!prepared) {
      const statement = this.#database.prepare(sql);
      prepared = { statement, hasRows: statement.columns().length > 0 };
    }
    // Reinserted on every use, so that the least recently used one is evicted.
    this.#kept.set(sql, prepared);
    return prepared;
  }
}
