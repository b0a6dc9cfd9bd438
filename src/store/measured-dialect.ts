import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely';
import { isLocal } from '../lib/local-faults.ts';
import { type LabelsOf, type Meter, secondsBetween } from '../lib/telemetry/index.ts';

type Kind = LabelsOf<'troupe_database_query_duration_seconds'>['kind'];

/** Where a query has waited so long for its answer, in milliseconds, the database is silent: it takes some as a rule. */
const usuallySilentAfter = 1_000;

/** What the connections of a pool are doing, and how many queries wait for one. */
export interface PoolUse {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Whether the database answers, and how long its queries take. */
export class DatabaseWatch {
  readonly #meter: Meter;
  readonly #steady: () => number;
  readonly #silentAfter: number;
  #awaySince: number | undefined;
  /** When the queries under way began, oldest first. */
  readonly #underWay = new Set<{ readonly since: number }>();
  /** Tells the use of the pool; undefined without one. */
  pool: () => PoolUse | undefined = () => undefined;

  /** `steady` gives milliseconds since some moment that nothing makes jump. */
  constructor(meter: Meter, steady: () => number, silentAfter = usuallySilentAfter) {
    this.#meter = meter;
    this.#steady = steady;
    this.#silentAfter = silentAfter;
  }

  /** Whether the last query got an answer. */
  get isUp(): boolean {
    return this.#awaySince === undefined;
  }

  /** Whether people shouldn't wait for it: the last query failed, or one has had no answer for too long. */
  get isSilent(): boolean {
    const [oldest] = this.#underWay;
    return !this.isUp || (oldest !== undefined && this.#steady() - oldest.since >= this.#silentAfter);
  }

  /** Measures some work from `since`, or from now. */
  async measure<T>(kind: Kind, work: () => Promise<T>, since = this.#steady()): Promise<T> {
    try {
      const result = await this.watch(work);
      return result;
    } finally {
      const seconds = secondsBetween(since, this.#steady());
      this.#meter.observe('troupe_database_query_duration_seconds', { kind }, seconds);
    }
  }

  /** Notes whether the database answers. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    const query = { since: this.#steady() };
    this.#underWay.add(query);
    try {
      const result = await work();
      if (this.#awaySince !== undefined) this.#isBack(this.#awaySince);
      return result;
    } catch (error) {
      if (isLocal(error)) this.#isAway();
      throw error;
    } finally {
      this.#underWay.delete(query);
    }
  }

  now(): number {
    return this.#steady();
  }

  #isBack(since: number): void {
    this.#awaySince = undefined;
    const seconds = secondsBetween(since, this.#steady());
    this.#meter.count('troupe_database_away_seconds_total', {}, seconds);
  }

  #isAway(): void {
    this.#awaySince ??= this.#steady();
    this.#meter.count('troupe_database_errors_total', {});
  }
}

/** A dialect whose queries and transactions are measured. */
export function measuredDialect(dialect: Dialect, watch: DatabaseWatch): Dialect {
  return {
    createDriver: () => {
      const driver: Driver & { readonly use?: PoolUse } = dialect.createDriver();
      watch.pool = () => driver.use;
      return new MeasuredDriver(driver, watch);
    },
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (database) => dialect.createIntrospector(database),
  };
}

type Settings = Parameters<Driver['beginTransaction']>[1];

class MeasuredDriver implements Driver {
  readonly #driver: Driver;
  readonly #watch: DatabaseWatch;

  constructor(driver: Driver, watch: DatabaseWatch) {
    this.#driver = driver;
    this.#watch = watch;
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new MeasuredConnection(await this.#driver.acquireConnection(), this.#watch);
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(measured(connection).inner);
  }

  beginTransaction(connection: DatabaseConnection, settings: Settings): Promise<void> {
    const { inner } = measured(connection);
    measured(connection).begunAt = this.#watch.now();
    return this.#watch.watch(() => this.#driver.beginTransaction(inner, settings));
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    const { inner, begunAt } = measured(connection);
    return this.#watch.measure('transaction', () => this.#driver.commitTransaction(inner), begunAt);
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const { inner, begunAt } = measured(connection);
    return this.#watch.measure('transaction', () => this.#driver.rollbackTransaction(inner), begunAt);
  }

  destroy(): Promise<void> {
    return this.#driver.destroy();
  }
}

const isRead = /^\s*(?:select|with)\b/i;

class MeasuredConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  /** When its transaction began. */
  begunAt: number | undefined;
  readonly #watch: DatabaseWatch;

  constructor(inner: DatabaseConnection, watch: DatabaseWatch) {
    this.inner = inner;
    this.#watch = watch;
  }

  executeQuery<Row>(query: CompiledQuery) {
    const kind = isRead.test(query.sql) ? 'read' : 'write';
    return this.#watch.measure(kind, () => this.inner.executeQuery<Row>(query));
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number) {
    return this.inner.streamQuery<Row>(query, chunkSize);
  }
}

function measured(connection: DatabaseConnection): MeasuredConnection {
  if (connection instanceof MeasuredConnection) return connection;
  throw new Error('a connection of another driver');
}
