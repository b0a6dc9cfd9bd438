import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/store/index.ts';
import type { Tables } from '../../../src/store/tables.ts';

/** The process whose work is being done. */
const running = new AsyncLocalStorage<Life>();
const lives = new Map<string, Life>();
const header = 'x-life';

channel('undici:request:create').subscribe((message) => {
  const { request } = message as { request: { addHeader(name: string, value: string): void } };
  const life = running.getStore();
  if (life) request.addHeader(header, life.name);
});

const never = new Promise<never>(() => {});

/**
 * A process of the bot, in this process. It dies right after one of its steps: after a write to the database, or a
 * request that changes something on a platform; from then on nothing of it reaches either, and its timers don't run.
 */
export class Life {
  readonly name: string;
  /** The steps it has made. */
  readonly steps: string[] = [];
  /** Platforms answer nothing. */
  isAway = false;
  #isDead = false;
  #left = Number.POSITIVE_INFINITY;
  #counted = /^/;
  /** Requests of its that aren't answered yet. */
  readonly #unanswered = new Set<IncomingMessage>();
  readonly #died = Promise.withResolvers<void>();

  constructor() {
    this.name = `life ${lives.size + 1}`;
    lives.set(this.name, this);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Resolves when it's dead. */
  get died(): Promise<void> {
    return this.#died.promise;
  }

  /** It dies so many steps from now; `counted`: those of them that count, all by default. */
  diesAfter(steps: number, counted = /^/): void {
    this.#left = steps;
    this.#counted = counted;
  }

  /** Its connections end with it. */
  die(): void {
    this.#isDead = true;
    for (const { socket } of this.#unanswered) socket.destroy();
    this.#died.resolve();
  }

  /** It asks a server for something, and is answered until the response closes. */
  asks(request: IncomingMessage, response: ServerResponse): void {
    this.#unanswered.add(request);
    response.once('close', () => this.#unanswered.delete(request));
  }

  /** Does work as this process. */
  run<T>(work: () => T): T {
    return running.run(this, work);
  }

  /** A step was made. */
  made(step: string): void {
    if (this.#isDead) return;
    this.steps.push(step);
    if (this.#counted.test(step) && --this.#left <= 0) this.die();
  }

  /** Resolves as long as it lives. */
  async alive(): Promise<void> {
    if (this.#isDead) await never;
  }

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      steady: () => clock.steady(),
      jitter: () => clock.jitter(),
      after: (milliseconds, task) =>
        clock.after(milliseconds, () => {
          if (!this.#isDead) this.run(task);
        }),
    };
  }

  /** The database that all of them share, as long as it lives. */
  database(dialect: Dialect, driver: Driver): Database {
    return new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new LifesDriver(driver, this) } });
  }
}

const isWrite = /^\s*(?:insert|update|delete)\b/i;

/** One for all, which outlives them; what a dead one has begun is rolled back. */
class LifesDriver implements Driver {
  readonly #driver: Driver;
  readonly #life: Life;

  constructor(driver: Driver, life: Life) {
    this.#driver = driver;
    this.#life = life;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#life.alive();
    return new LifesConnection(await this.#driver.acquireConnection(), this.#driver, this.#life);
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(lifes(connection).inner);
  }

  async beginTransaction(connection: DatabaseConnection, settings: object): Promise<void> {
    await lifes(connection).alive();
    await this.#driver.beginTransaction(lifes(connection).inner, settings);
    lifes(connection).inTransaction = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    lifes(connection).throwIfDead();
    await this.#driver.commitTransaction(lifes(connection).inner);
    this.#life.made('transaction');
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(lifes(connection).inner);
  }

  async destroy(): Promise<void> {}
}

class LifesConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  inTransaction = false;
  readonly #driver: Driver;
  readonly #life: Life;

  constructor(inner: DatabaseConnection, driver: Driver, life: Life) {
    this.inner = inner;
    this.#driver = driver;
    this.#life = life;
  }

  /** Resolves as long as it lives; what a dead one holds is free for others. */
  async alive(): Promise<void> {
    if (!this.#life.isDead) return;
    await this.#driver.releaseConnection(this.inner);
    await never;
  }

  throwIfDead(): void {
    if (this.#life.isDead) throw new Error('the process is dead');
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.inTransaction) {
      this.throwIfDead();
      return this.inner.executeQuery<Row>(query);
    }
    await this.alive();
    const result = await this.inner.executeQuery<Row>(query);
    if (isWrite.test(query.sql)) this.#life.made(stepOf(query));
    await this.alive();
    return result;
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.inner.streamQuery<Row>(query, chunkSize);
  }
}

function lifes(connection: DatabaseConnection): LifesConnection {
  if (connection instanceof LifesConnection) return connection;
  throw new Error('a connection of another driver');
}

/** What is written, and under which key. */
function stepOf({ sql, parameters }: CompiledQuery): string {
  const [, what = '', table = ''] = /^\s*(\w+)\s+(?:into |from )?"?(\w+)/i.exec(sql) ?? [];
  const key = table === 'keyv' ? parameters.find((one) => String(one).includes('::')) : undefined;
  return [what, table, ...(key === undefined ? [] : [String(key).split(' ')[0]])].join(' ');
}

/** Requests that change nothing, and those by which Discord tries out the endpoint. */
const reads =
  /^GET |^POST \/discord\/interactions$|\/(?:conversations\.(?:history|replies|info|list|members)|users\.info|auth\.test|chat\.getPermalink|files\.info)$/;

const { emit } = Server.prototype;
Server.prototype.emit = function (this: Server, ...[name, ...values]: [string, ...unknown[]]): boolean {
  const pass = () => emit.apply(this, [name, ...values] as never);
  if (name !== 'request') return pass();
  const [request, response] = values as [IncomingMessage, ServerResponse];
  const life = lives.get(String(request.headers[header]));
  if (!life) return pass();
  if (life.isDead || life.isAway) {
    request.socket.destroy();
    return true;
  }
  life.asks(request, response);
  const step = `${request.method} ${(request.url ?? '').replace(/\?.*$/, '').replaceAll(/\d{6,}|[\w-]{40,}/g, '…')}`;
  if (!reads.test(step)) response.once('finish', () => life.made(step));
  return pass();
} as typeof emit;
