import { Client } from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { Lease, showPresence } from '../../../src/coordination/lease.ts';
import { notifySignals, OwnConnection, type Session } from '../../../src/coordination/own-connection.ts';
import { coordinateOverPostgres } from '../../../src/coordination/postgres.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openDatabase, Processes } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { Cable, type DatabaseTime, freshPostgres, Postgres, timeOf } from '../../fakes/postgres/index.ts';
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

/** Processes on record, each with connections of its own. */
export async function several(count: number, url: string) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const database = await openDatabase(url);
      onTestFinished(() => database.destroy());
      const settings = { connectionString: url };
      const one = await coordinateOverPostgres({ settings, database, clock: systemClock, log });
      onTestFinished(() => one.close());
      await new Processes(database).begin(one.process, new Map());
      return one;
    }),
  );
}

/** Between two renewals at most, in milliseconds. */
export const longestSpacing = 1_250;

/** A database whose time a test moves. */
export async function timedDatabase(): Promise<{ readonly url: string; readonly time: DatabaseTime }> {
  const url = await freshPostgres();
  return { url, time: await timeOf(url) };
}

/** A process that renews its lease by a clock to move by hand; the pool and its own connection each have a cable. */
export async function leasing({ url, time }: { url: string; time: DatabaseTime }, id: string) {
  const clock = new StallingClock();
  const [own, pool] = [await Cable.to(url), await Cable.to(url)];
  const connection = new OwnConnection({ settings: { connectionString: own.url }, clock: systemClock, log });
  const database = await openDatabase(pool.url);
  showPresence(connection, id);
  const signals = notifySignals(connection);
  await connection.open();
  const lease = new Lease({ process: id, database, connection, signals, clock });
  onTestFinished(async () => {
    await connection.close();
    await database.destroy();
    for (const cable of [own, pool]) cable.close();
  });
  const processes = new Processes(database);
  await processes.begin(id, new Map());
  const [gone, takenForDead] = [vi.fn(), vi.fn()];
  const beginAgain = vi.fn(() => processes.begin(id, new Map()));
  onTestFinished(lease.watch({ gone, takenForDead, beginAgain }));
  const isWaiting = () => vi.waitFor(() => expect(clock.pending).toBe(2), patience);
  /** Moves to the next renewal, by its own time and the database's, and waits until it's done. */
  const renew = async (passes = longestSpacing) => {
    // It also notes twice a second that it runs.
    await isWaiting();
    await time.pass(passes);
    await clock.advance(longestSpacing);
    await isWaiting();
  };
  await isWaiting();
  return { connection, database, lease, gone, takenForDead, beginAgain, renew, clock, own, pool };
}
