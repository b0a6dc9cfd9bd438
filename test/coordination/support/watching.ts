import { Client } from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { notifySignals } from '../../../src/coordination/postgres/channel.ts';
import { OwnConnection, type Session } from '../../../src/coordination/postgres/own-connection.ts';
import { holdOwnLock, isLock } from '../../../src/coordination/postgres/own-lock.ts';
import { Watch } from '../../../src/coordination/postgres/watch.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { Postgres } from '../../fakes/postgres/index.ts';
import { patience } from '../../patience.ts';

export const log = { warn: () => {}, info: () => {} };

/** A server of its own, to stop and start. */
export async function ownServer(): Promise<Postgres> {
  const server = await Postgres.start();
  onTestFinished(() => server.close());
  return server;
}

export async function query(url: string, text: string, values: unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return (await client.query(text, values).finally(() => client.end())).rows;
}

/** Ends the own connections of all processes on a database, and nobody else's: other tests use the same server. */
export const cutOff = (url: string) =>
  query(url, `select pg_terminate_backend(pid) from pg_locks where ${isLock} is not null`);

/** Waits until a connection has a session again, another than the one that was lost. */
export const isBack = (connection: OwnConnection, lost: Session | undefined) =>
  vi.waitUntil(() => connection.session && connection.session !== lost, patience);

/** A clock whose process can be stopped for a while: time passes, and no timer runs. */
export class StallingClock extends FakeClock {
  #stalled = 0;

  override steady(): number {
    return super.steady() + this.#stalled;
  }

  stall(milliseconds: number): void {
    this.#stalled += milliseconds;
  }
}

/** Between two looks at most, in milliseconds. */
export const longestSpacing = 1_250;

/** The columns that matter here. */
export const table = `create table processes (id text primary key, seen_at bigint not null default 0, ended_at bigint)`;

/** A process that looks at the others by a clock to move by hand. */
export async function watching(url: string, id: string) {
  const clock = new StallingClock();
  const connection = new OwnConnection({ settings: { connectionString: url }, clock: systemClock, log });
  holdOwnLock(connection, id);
  const signals = notifySignals(connection);
  await connection.open();
  const watch = new Watch({ process: id, connection, signals, clock });
  onTestFinished(() => connection.close());
  await query(url, 'insert into processes (id) values ($1)', [id]);
  const [gone, takenForDead] = [vi.fn(), vi.fn()];
  const isLiving = vi.fn(async () => true);
  onTestFinished(watch.watch({ gone, takenForDead, isLiving }));
  /** Moves to the next look and waits until it's done. */
  const look = async () => {
    // It also notes twice a second that it runs.
    await vi.waitFor(() => expect(clock.pending).toBe(2), patience);
    await clock.advance(longestSpacing);
    await vi.waitFor(() => expect(clock.pending).toBe(2), patience);
  };
  return { connection, watch, gone, takenForDead, isLiving, look, clock };
}
