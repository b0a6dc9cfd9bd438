import { CompiledQuery, type QueryExecutorProvider, sql } from 'kysely';
import { type Clock, sleep, type UntilAlive } from '../lib/clock.ts';
import type { Database } from '../store/index.ts';
import type { Others, Signals } from './coordination.ts';
import type { OwnConnection } from './own-connection.ts';
import { StandStill } from './stand-still.ts';

/**
 * A process that isn't connected any more and didn't renew its lease for so long is dead, in milliseconds: its work is
 * taken over within 15 s.
 */
const usuallyDeadAfter = 8_000;
/** One that's connected is dead after so many times that: it hangs, or is only slow. */
const timesForThoseThatHang = 2;
/** Renewals in that time; between two of them passes up to a quarter more, at random. */
const renewalsUntilDead = 8;
/** After so many renewals `gone` is called in any case: a word may be lost, and work given up by an end nobody saw. */
const renewalsBetween = 30;
/** Sent when a process has ended or was found dead. */
const ended = 'process ended';

/** The database's own time in milliseconds since the epoch. */
const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint::float8`;

/** The number of a process's own lock, of its id in SQL: 64 bits, the same in every version. */
const lockOf = (id: string) =>
  `('x' || left(encode(sha256(convert_to('process ' || ${id}, 'UTF8')), 'hex'), 16))::bit(64)::bigint`;

/** Whether somebody holds it: `pg_locks` keeps the halves of a number apart. */
const isPresent = (id: string) => `exists (
  select from pg_locks
  where granted and locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = ${lockOf(id)})`;

/** Renews a lease, unless others have ended it, and reads all of them. Nothing waits for a disk: the next comes soon. */
const renewal = `
  with renewed as (
    update processes set seen_at = ${now} where id = $1 and ended_at is null returning id
  ), committed as (select set_config('synchronous_commit', 'off', true))
  select id, seen_at::float8 as "seenAt", ${now} as now, ${isPresent('id')} as "isPresent",
    exists (select from renewed, committed where renewed.id = processes.id) as renewed
  from processes where ended_at is null`;

/** A process that lives, as one that renews its own lease sees it. */
interface Seen {
  readonly id: string;
  readonly seenAt: number;
  readonly now: number;
  readonly isPresent: boolean;
  /** It's the one that looks, and its lease is renewed. */
  readonly renewed: boolean;
}

export interface LeaseOptions {
  /** This process's id; its row in `processes` is its lease. */
  readonly process: string;
  readonly database: Database;
  readonly connection: OwnConnection;
  readonly signals: Signals;
  readonly clock: Clock;
  /** 8,000 milliseconds by default. */
  readonly deadAfter?: number | undefined;
}

/**
 * This process's lease, and those of the others. A lease is a row of `processes`, renewed about once a second by the
 * database's own time. One that wasn't renewed for too long is ended by whoever sees it (`ended_at`), if that one has
 * renewed its own all that time: where the database was away, it was away for all. What a process has in hand is its own
 * as long as its lease isn't ended, however late it is; from then on it can record nothing under the condition
 * `isStillLiving`, so that it doesn't matter what its clocks, its connections or its sleep told it.
 */
export class Lease implements Others {
  readonly #options: LeaseOptions;
  readonly #deadAfter: number;
  /** Undefined until this process's lease is renewed. */
  #standStill: StandStill | undefined;
  /** Ends the wait for the next renewal. */
  #renewNow = () => {};
  /** By the database's time: this process has renewed its lease since then without a break, and when it did last. */
  #series = { since: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  /** The others that lived at the last renewal. */
  #living: ReadonlySet<string> = new Set();

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#deadAfter = options.deadAfter ?? usuallyDeadAfter;
  }

  readonly untilAlive: UntilAlive = () => this.#standStill?.untilAlive();

  async living(): Promise<ReadonlySet<string>> {
    const rows = await this.#ask<{ id: string }>('select id from processes where ended_at is null');
    return new Set(rows.map(({ id }) => id));
  }

  async present(): Promise<ReadonlySet<string>> {
    const rows = await this.#ask<{ id: string }>(
      `select id from processes where ended_at is null and abs(${now} - seen_at) < $1 and ${isPresent('id')}`,
      [this.#longestBreak],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async ended(): Promise<void> {
    await this.#options.signals.send(ended, this.#options.process);
  }

  watch({ gone, takenForDead, beginAgain }: Parameters<Others['watch']>[0]): () => void {
    const { process, clock, signals } = this.#options;
    const stop = new AbortController();
    const standStill = new StandStill({ clock, deadAfter: this.#deadAfter, ask: () => this.#renewNow() });
    this.#standStill = standStill;
    const unheard = signals.on(ended, (other) => {
      if (other === process) return;
      this.#living = this.#living.difference(new Set([other]));
      gone();
    });
    const rounds = async () => {
      for (let count = 1; ; count++) {
        const seen = await this.#renew(standStill).catch(() => undefined);
        if (stop.signal.aborted) return;
        if (seen === 'lost') await beginAgain().catch(() => {});
        if (seen === 'ended') {
          stop.abort();
          standStill.takenForDead();
          return takenForDead();
        }
        if (seen === 'someone gone' || count % renewalsBetween === 0) gone();
        await this.#untilNext(stop.signal);
      }
    };
    void rounds().catch(() => {});
    return () => {
      unheard();
      stop.abort();
      standStill.close();
      this.#standStill = undefined;
    };
  }

  async #untilNext(signal: AbortSignal): Promise<void> {
    const spacing = this.#deadAfter / renewalsUntilDead;
    const early = new AbortController();
    this.#renewNow = () => early.abort();
    const either = AbortSignal.any([signal, early.signal]);
    const wait = sleep(this.#options.clock, spacing * (1 + Math.random() / 4), either);
    await wait.catch(() => signal.throwIfAborted());
  }

  /** While the database is away nothing is seen, and nobody is dead. */
  async #renew(standStill: StandStill): Promise<'all live' | 'someone gone' | 'lost' | 'ended'> {
    const { process } = this.#options;
    const asked = standStill.now();
    const living = await this.#ask<Seen>(renewal, [process]);
    const mine = living.find(({ id }) => id === process);
    if (!mine?.renewed) return (await this.#isOnRecord()) ? 'ended' : 'lost';
    standStill.confirmed(asked);
    this.#goOn(mine.now);
    const others = living.filter(({ id }) => id !== process);
    const before = this.#living;
    this.#living = new Set(others.map(({ id }) => id));
    const isAnyGone = !before.isSubsetOf(this.#living);
    for (const other of others.filter((one) => this.#isDead(one))) await this.#end(other);
    return isAnyGone ? 'someone gone' : 'all live';
  }

  /** Where its row is gone, a database has come back without its last commits: nobody has ended it. */
  async #isOnRecord(): Promise<boolean> {
    const { process } = this.#options;
    return (await this.#ask('select id from processes where id = $1', [process])).length > 0;
  }

  /** Milliseconds after which a renewal is too late. */
  get #longestBreak(): number {
    return this.#deadAfter / 2;
  }

  /** A renewal that's too late, or by a clock that was set, begins another series. */
  #goOn(at: number): void {
    const { since, last } = this.#series;
    const isBreak = at < last || at - last > this.#longestBreak;
    this.#series = { since: isBreak ? at : since, last: at };
  }

  /** One whose time is far ahead hasn't renewed its lease since the database's clock was set back. */
  #isDead({ seenAt, now, isPresent }: Seen): boolean {
    const limit = this.#deadAfter * (isPresent ? timesForThoseThatHang : 1);
    return now - this.#series.since > limit && Math.abs(now - seenAt) > limit;
  }

  /** Of several processes that see it, one tells all. */
  async #end({ id, seenAt }: Seen): Promise<void> {
    const rows = await this.#ask(
      `update processes set ended_at = ${now} where id = $1 and seen_at = $2 and ended_at is null returning id`,
      [id, seenAt],
    );
    if (rows.length > 0) await this.#options.signals.send(ended, id);
  }

  /** Over this process's own connection, which waits for no others; over the pool while that's away. */
  async #ask<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { connection, database } = this.#options;
    const { session } = connection;
    if (session) return (await session.query<Row>(text, values)).rows;
    return (await database.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
  }
}

/**
 * Holds a process's own lock in every session of its own connection, so that others see at once when that ends, as it
 * does when the process dies. It's a hint: it says nothing of a process that hangs, or whose machine is gone. Whether a
 * process lives is decided by its lease. Shared, because PostgreSQL may still take a former session for alive.
 */
export function showPresence(connection: OwnConnection, process: string): void {
  connection.onSession(async (session) => {
    await session.query(`select pg_advisory_lock_shared(${lockOf('$1::text')})`, [process]);
  });
}

/** How many processes of the bot live on a PostgreSQL database: those that renew their leases. For tools that aren't one. */
export async function countLiving(database: QueryExecutorProvider): Promise<number> {
  // Before the tables are made there is nowhere to be on record.
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('processes') is not null as found`.execute(database);
  if (!tables[0]?.found) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from processes
    where ended_at is null
      and abs(extract(epoch from clock_timestamp()) * 1000 - seen_at) < ${usuallyDeadAfter}::integer`.execute(
    database,
  );
  return rows[0]?.count ?? 0;
}
