import { Socket } from 'node:net';
import { Client, type ClientConfig, type QueryResult, type QueryResultRow } from 'pg';
import { type Clock, inTime, KeyedQueue, sleep, waitAfter, type Waits } from '../lib/clock.ts';
import { asDatabase, liftLimits, PostgresError } from '../store/index.ts';
import { type Signals, signalsHere } from './coordination.ts';

/** One session of PostgreSQL, until it's lost: what was listened to in it is lost with it. */
export interface Session {
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
}

export interface OwnConnectionOptions {
  /** How to connect. */
  readonly settings: ClientConfig;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void; info(data: object, message: string): void };
}

/** How long a query waits for the database to come back before it fails with the reason, in milliseconds. */
const patience = 5_000;
/** A session that doesn't answer for so long is given up, in milliseconds. */
const answersWithin = 5_000;
/** How long the end of the connection may take, in milliseconds. */
const goodbyeWithin = 500;
/** Between tries to connect, in milliseconds. */
const waits: Waits = { first: 50, longest: 1_000 };
/**
 * PostgreSQL gives up a client whose machine is gone after 4 s. Milliseconds, seconds and counts as its manual has them
 * ("Connections and Authentication"); it ignores them for local sockets.
 */
const noticeLostClients = [
  'set tcp_keepalives_idle = 2',
  'set tcp_keepalives_interval = 1',
  'set tcp_keepalives_count = 2',
  'set tcp_user_timeout = 4000',
  // It's quiet for long where little happens.
  liftLimits,
];
/** Fails where the server takes no writes: no lease can be renewed there. */
const expectWritable = `do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise read_only_sql_transaction using message = 'PostgreSQL is read-only';
  end if;
end $$`;

/**
 * A connection to PostgreSQL that this process has for itself, outside the pool: LISTEN belongs to a session, and whoever
 * dies ends it.
 * Comes back by itself, in short waits; `onSession` then does again what a session forgets.
 */
export class OwnConnection {
  readonly #options: OwnConnectionOptions;
  readonly #stop = new AbortController();
  readonly #preparations: ((session: Session) => Promise<void>)[] = [];
  readonly #listeners: ((payload: string) => void)[] = [];
  #client: Client | undefined;
  #session: Session | undefined;
  #back = Promise.withResolvers<Session>();
  #reason: unknown;

  constructor(options: OwnConnectionOptions) {
    this.#options = options;
  }

  /** Does something in every new session from the next on, before anybody else may use it. */
  onSession(prepare: (session: Session) => Promise<void>): void {
    this.#preparations.push(prepare);
  }

  /** Hears notifications of all channels listened to. Call before `open`. */
  onNotification(listener: (payload: string) => void): void {
    this.#listeners.push(listener);
  }

  /** @throws what PostgreSQL or the network says if it can't be opened. */
  async open(): Promise<void> {
    await this.#connect();
  }

  /** The session there is now; undefined while the database is away. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Waits a few seconds for the database if it's away. @throws why it's away. */
  async sessionSoon(): Promise<Session> {
    if (this.#session) return this.#session;
    this.#stop.signal.throwIfAborted();
    const session = await inTime(this.#options.clock, patience, this.#back.promise, undefined);
    if (!session) throw this.#reason;
    return session;
  }

  async close(): Promise<void> {
    this.#reason = new Error('shutting down');
    this.#stop.abort(this.#reason);
    const client = this.#client;
    this.#session = undefined;
    // A server that's away doesn't say goodbye.
    if (client) await inTime(this.#options.clock, goodbyeWithin, client.end(), undefined).catch(() => {});
  }

  async #connect(): Promise<void> {
    const socket = new Socket();
    const client = new Client({
      stream: () => socket,
      ...this.#options.settings,
      connectionTimeoutMillis: answersWithin,
      keepAlive: true,
      keepAliveInitialDelayMillis: 2_000,
    });
    let isLost = false;
    const lost = (error: unknown) => {
      if (isLost) return;
      isLost = true;
      this.#lost(client, error);
    };
    client.on('error', lost);
    client.on('end', () => lost(new Error('PostgreSQL ended the connection')));
    client.on('notification', ({ payload = '' }) => {
      for (const listener of this.#listeners) listener(payload);
    });
    try {
      await asDatabase(() => client.connect());
      // The library sends one at a time; handing it several at once is deprecated.
      const queue = new KeyedQueue();
      const session: Session = {
        query: (text, values = []) => queue.run('', () => this.#ask(client, socket, text, values)),
      };
      for (const setting of noticeLostClients) await session.query(setting);
      await session.query(expectWritable);
      for (const prepare of this.#preparations) await prepare(session);
      if (isLost) throw this.#reason;
      this.#client = client;
      this.#session = session;
      this.#back.resolve(session);
    } catch (error) {
      isLost = true;
      this.#reason = error;
      await client.end().catch(() => {});
      throw error;
    }
  }

  /** A query of one session; a session that doesn't answer, or is of no more use, is cut. */
  async #ask<Row extends QueryResultRow>(
    client: Client,
    socket: Socket,
    text: string,
    values: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    const cancel = this.#options.clock.after(answersWithin, () => {
      const silent = Object.assign(new Error('PostgreSQL doesn’t answer'), {
        code: 'ETIMEDOUT',
        syscall: 'read',
      });
      socket.destroy(silent);
    });
    try {
      return await asDatabase(() => client.query<Row>(text, [...values]));
    } catch (error) {
      // A server that has become read-only keeps its connections, while another may have taken its place.
      if (error instanceof PostgresError && error.endsConnection) socket.destroy(error);
      throw error;
    } finally {
      cancel();
    }
  }

  #lost(client: Client, error: unknown): void {
    this.#reason = new PostgresError(error);
    if (client !== this.#client || this.#stop.signal.aborted) return;
    this.#client = undefined;
    this.#session = undefined;
    this.#back = Promise.withResolvers<Session>();
    this.#options.log.warn({ error }, 'the database is away');
    void this.#comeBack().catch(() => {});
  }

  async #comeBack(): Promise<void> {
    const { clock, log } = this.#options;
    for (let tries = 1; ; tries++) {
      await sleep(clock, waitAfter(tries, waits), this.#stop.signal);
      try {
        await this.#connect();
        if (this.#stop.signal.aborted) return this.close();
        return log.info({ tries }, 'the database is back');
      } catch {
        // It's tried again until it's there; those who wait are told the reason.
      }
    }
  }
}

/** The one channel of PostgreSQL that the processes of a bot listen to; channels are of one database. */
const channel = 'troupe';
/** A notification takes less than 8,000 bytes. */
const longestText = 7_000;

/** Signals over NOTIFY, which PostgreSQL brings to the sender as well. What's sent while a process is away is lost to it. */
export function notifySignals(connection: OwnConnection): Signals {
  const here = signalsHere();
  connection.onSession(async (session) => void (await session.query(`listen ${channel}`)));
  connection.onNotification((payload) => {
    const end = payload.indexOf('\n');
    void here.send(payload.slice(0, end), payload.slice(end + 1));
  });
  return {
    async send(topic, text) {
      if (Buffer.byteLength(text) > longestText)
        throw new RangeError(`a signal is longer than ${longestText} bytes`);
      const session = await connection.sessionSoon();
      await session.query('select pg_notify($1, $2)', [channel, `${topic}\n${text}`]);
    },
    on: here.on,
  };
}
