import { setTimeout as wait } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  type QueryExecutorProvider,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { isLocal } from '../lib/local-faults.ts';
import { type LabelsOf, type Meter, noMeter, secondsBetween } from '../lib/telemetry.ts';
import { isPartial, PostgresError } from './database-error.ts';

type Kind = LabelsOf<'troupe_database_query_duration_seconds'>['kind'];

/** Where a query has waited so long for its answer, in milliseconds, the database is silent: it takes some as a rule. */
const usuallySilentAfter = 1_000;

/** So long is a fault told of that queries may work in spite of, in milliseconds. */
const faultsTold = 60_000;

/** What the connections of a pool are doing, and how many queries wait for one. */
export interface PoolUse {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Whether the database answers, and how long its queries take. */
export class DatabaseWatch {
  readonly #meter: Meter;
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #silentAfter: number;
  #awaySince: number | undefined;
  #fault: { readonly at: number; readonly message: string } | undefined;
  /** When the queries under way began, oldest first. */
  readonly #underWay = new Set<{ readonly since: number }>();
  /** Tells the use of the pool; undefined without one. */
  pool: () => PoolUse | undefined = () => undefined;

  constructor(meter: Meter, clock: Pick<Clock, 'steady'>, silentAfter = usuallySilentAfter) {
    this.#meter = meter;
    this.#clock = clock;
    this.#silentAfter = silentAfter;
  }

  /** Whether the last query got an answer. */
  get isUp(): boolean {
    return this.#awaySince === undefined;
  }

  /** Whether people shouldn't wait for it: the last query failed, or one has had no answer for too long. */
  get isSilent(): boolean {
    const [oldest] = this.#underWay;
    return !this.isUp || (oldest !== undefined && this.now() - oldest.since >= this.#silentAfter);
  }

  /** Milliseconds since some moment that nothing makes jump. */
  now(): number {
    return this.#clock.steady();
  }

  /** What failed within the last minute, while queries may have worked; in words for the operator. */
  get fault(): string | undefined {
    const { at = Number.NEGATIVE_INFINITY, message } = this.#fault ?? {};
    return this.now() - at < faultsTold ? `it failed within the last minute: ${message}` : undefined;
  }

  /** Notes a fault that queries may work in spite of. */
  failed(error: unknown): void {
    this.#fault = { at: this.now(), message: error instanceof Error ? error.message : String(error) };
  }

  /** Notes whether the database answers, and how long work of a kind takes, from `since` on. */
  async measure<T>(kind: Kind | undefined, work: () => Promise<T>, since = this.now()): Promise<T> {
    const query = { since: this.now() };
    this.#underWay.add(query);
    try {
      const result = await work();
      if (this.#awaySince !== undefined) this.#isBack(this.#awaySince);
      return result;
    } catch (error) {
      if (isLocal(error)) this.#isAway();
      if (isPartial(error)) this.failed(error);
      throw error;
    } finally {
      this.#underWay.delete(query);
      if (kind) {
        const seconds = secondsBetween(since, this.now());
        this.#meter.observe('troupe_database_query_duration_seconds', { kind }, seconds);
      }
    }
  }

  #isBack(since: number): void {
    this.#awaySince = undefined;
    const seconds = secondsBetween(since, this.now());
    this.#meter.count('troupe_database_away_seconds_total', {}, seconds);
  }

  #isAway(): void {
    this.#awaySince ??= this.now();
    this.#meter.count('troupe_database_errors_total', {});
  }
}

/** A watch that nobody asks. */
export const unwatched = () => new DatabaseWatch(noMeter, { steady: () => 0 });

/** How often work is done that collides with other transactions. */
const mostTries = 5;

/** Does work again where it collided with another transaction: it certainly did nothing then. */
export async function despiteCollisions<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PostgresError) || !error.isCollision || tries === mostTries) throw error;
      // Those that collided shouldn't meet again.
      await wait(Math.random() * 10 * 2 ** tries);
    }
  }
}

/** A connection for one query or transaction; it takes what it needs when it first needs it. */
export interface Connection {
  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Gives back what it has taken. */
  leave(): void;
}

/** A database that's open. */
export interface OpenDatabase {
  connect(): Connection;
  close(): Promise<void>;
  /** Undefined without a pool. */
  readonly use?: PoolUse;
}

/** A dialect whose queries and transactions are watched. */
export interface WatchedDialect extends Dialect {
  readonly watch: DatabaseWatch;
}

/** Kysely's driver over a database, opened when it's first used. */
export class WatchedDriver implements Driver {
  readonly #open: () => Promise<OpenDatabase>;
  readonly #watch: DatabaseWatch;
  #opened: OpenDatabase | undefined;

  constructor(open: () => Promise<OpenDatabase>, watch: DatabaseWatch) {
    this.#open = open;
    this.#watch = watch;
  }

  async init(): Promise<void> {
    this.#opened = await this.#open();
    this.#watch.pool = () => this.#opened?.use;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#opened) throw new Error('the database is not open');
    return new WatchedConnection(this.#opened.connect(), this.#watch);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    watched(connection).leave();
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return watched(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return watched(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return watched(connection).rollback();
  }

  async destroy(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.close();
  }
}

/** Statements that only read, also those that name a query first. */
export const isRead = /^\s*(?:select\b|with\b(?!.*\b(?:insert|update|delete)\b))/is;

class WatchedConnection implements DatabaseConnection, Connection {
  readonly #connection: Connection;
  readonly #watch: DatabaseWatch;
  /** When its transaction began. */
  #begunAt: number | undefined;

  constructor(connection: Connection, watch: DatabaseWatch) {
    this.#connection = connection;
    this.#watch = watch;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const kind = isRead.test(query.sql) ? 'read' : 'write';
    return this.#watch.measure(kind, () => this.#connection.executeQuery<Row>(query));
  }

  // oxlint-disable-next-line require-yield -- nothing is streamed: long results are read in pages
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('queries are not streamed');
  }

  begin(): Promise<void> {
    this.#begunAt = this.#watch.now();
    return this.#watch.measure(undefined, () => this.#connection.begin());
  }

  commit(): Promise<void> {
    return this.#watch.measure('transaction', () => this.#connection.commit(), this.#begunAt);
  }

  rollback(): Promise<void> {
    return this.#watch.measure('transaction', () => this.#connection.rollback(), this.#begunAt);
  }

  leave(): void {
    this.#connection.leave();
  }
}

function watched(connection: DatabaseConnection): WatchedConnection {
  if (connection instanceof WatchedConnection) return connection;
  throw new Error('a connection of another driver');
}

/** The differences between SQLite and PostgreSQL. */

/** Whether a database is a PostgreSQL one; otherwise it's SQLite. */
export function isPostgres(database: QueryExecutorProvider): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/** Sorts the rows of `jobs` in the order in which they came. */
export function arrival(database: QueryExecutorProvider): RawBuilder<number> {
  return isPostgres(database) ? sql<number>`number` : sql<number>`rowid`;
}

/** Text in a column that holds JSON; the column must be of {@link jsonType}, and hold nothing that people wrote. */
export function jsonText(column: string, name: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(column)} ->> ${sql.lit(name)}`;
}

/** Whether a column of JSON has these texts under these names. */
export function hasTexts(column: string, texts: Readonly<Record<string, string>>): RawBuilder<boolean> {
  const each = Object.entries(texts).map(([name, text]) => sql`${jsonText(column, name)} = ${text}`);
  return sql<boolean>`${sql.join(each, sql` and `)}`;
}

/** The type of columns of which {@link jsonText} reads. PostgreSQL can't read JSON with a lone half of an emoji. */
export function jsonType(database: QueryExecutorProvider): RawBuilder<unknown> {
  return isPostgres(database) ? sql`json` : sql`text`;
}

/** The type of columns that are searched by their beginning: sorted by bytes, as SQLite sorts all text. */
export function bytesType(database: QueryExecutorProvider): RawBuilder<unknown> {
  return isPostgres(database) ? sql`text collate "C"` : sql`text`;
}

/**
 * The database's own time in milliseconds since the epoch, `plus` so many, for a query: what several machines compare
 * is never a machine's own clock.
 */
export function databaseNow(database: QueryExecutorProvider, plus = 0): RawBuilder<number> {
  const later = sql.lit(Math.round(plus));
  return isPostgres(database)
    ? sql<number>`((extract(epoch from clock_timestamp()) * 1000)::bigint + ${later})`
    : sql<number>`(cast(unixepoch('subsec') * 1000 as integer) + ${later})`;
}

/** Whether a row was refused because a unique index has its values already: somebody else was quicker. */
export function isDuplicate(error: unknown): boolean {
  const { state, errcode } = (error ?? {}) as { readonly state?: unknown; readonly errcode?: unknown };
  return state === '23505' || errcode === 2067;
}

/**
 * Runs work and then removes overwritten and deleted data from the database file, where SQLite otherwise leaves it
 * until it reuses the space. It costs extra writes, so use it only for secrets. PostgreSQL
 * removes it when it next vacuums.
 */
export async function withSecureDelete(
  database: QueryExecutorProvider,
  work: () => Promise<void>,
): Promise<void> {
  if (isPostgres(database)) return work();
  await sql`pragma secure_delete = on`.execute(database);
  try {
    await work();
  } finally {
    await sql`pragma secure_delete = off`.execute(database);
  }
}
