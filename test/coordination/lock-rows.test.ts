import { expect, it, onTestFinished, vi } from 'vitest';
import { LockRows } from '../../src/coordination/postgres.ts';
import { openDatabase, Processes } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { Cable, freshPostgres } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import { query, several } from './support/leases.ts';

const end = (url: string, process: string) =>
  query(url, 'update processes set ended_at = 1 where id = $1', [process]);

/** Has a process do work for a key until a test ends it. */
async function hold(locks: Pick<LockRows, 'run'> | undefined, key: string) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = locks?.run(key, () => {
    begun.resolve();
    return ended.promise;
  });
  await begun.promise;
  return {
    async release() {
      ended.resolve();
      await done;
    },
  };
}

/** A process behind a cable, with a clock to move by hand. */
async function cabled(url: string) {
  const cable = await Cable.to(url);
  const database = await openDatabase(cable.url);
  onTestFinished(async () => {
    cable.close();
    await database.destroy();
  });
  const clock = new FakeClock();
  const signals = { send: async () => {}, on: () => () => {} };
  const process = 'cabled';
  await new Processes(database).begin(process, new Map());
  return { cable, clock, process, locks: new LockRows({ process, database, signals, clock }) };
}

it('does the work for a key one piece at a time in all processes', async () => {
  const processes = await several(3, await freshPostgres());
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise<void>((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  const pieces = processes.flatMap(({ locks }) => Array.from({ length: 10 }, () => locks.run('key', work)));
  await Promise.all(pieces);
  expect(most).toBe(1);
});

it('a process that hangs with a lock holds up the others until its lease is ended, and no longer', async () => {
  const url = await freshPostgres();
  const [hanging, two] = await several(2, url);
  await hold(hanging?.locks, 'takeover');
  const work = vi.fn(async () => 'done');
  const done = two?.locks.run('takeover', work);
  await two?.locks.run('other', async () => {});
  // Its connection may end: it has the lock as long as it counts as living.
  await hanging?.close();
  await two?.locks.run('other', async () => {});
  expect(work).not.toHaveBeenCalled();
  await end(url, hanging?.process ?? '');
  expect(await done).toBe('done');
});

it('the lock is still its own when a process that hung goes on, unless others have taken it for dead', async () => {
  const url = await freshPostgres();
  const [one, two] = await several(2, url);
  const work = await hold(one?.locks, 'a');
  await end(url, one?.process ?? '');
  const theirs = await hold(two?.locks, 'a');
  await work.release();
  // It has released nothing that isn't its own any more, and takes nothing.
  expect(await query(url, 'select process from locks')).toEqual([{ process: two?.process }]);
  const late = vi.fn(async () => {});
  one?.locks.run('a', late).catch(() => {});
  await theirs.release();
  await vi.waitUntil(async () => (await query(url, 'select name from locks')).length === 0, patience);
  await two?.locks.run('a', async () => {});
  expect(late).not.toHaveBeenCalled();
});

it('says why work could not begin while the database is away', async () => {
  const { cable, locks } = await cabled(await freshPostgres());
  cable.cut();
  const work = vi.fn(async () => {});
  await expect(locks.run('a', work)).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY' });
  expect(work).not.toHaveBeenCalled();
  cable.mend();
  await locks.run('a', work);
  expect(work).toHaveBeenCalledTimes(1);
});

it('a lock that could not be released when the database was away is released when it’s back', async () => {
  const url = await freshPostgres();
  const { cable, clock, locks, process } = await cabled(url);
  const [other] = await several(1, url);
  const work = await hold(locks, 'a');
  cable.cut();
  await work.release();
  const others = vi.fn(async () => {});
  const done = other?.locks.run('a', others);
  cable.mend();
  // The process itself needn't wait for that.
  await locks.run('a', async () => {
    expect(await query(url, 'select process from locks')).toEqual([{ process }]);
    expect(others).not.toHaveBeenCalled();
  });
  await clock.advance(60_000);
  await done;
  expect(others).toHaveBeenCalledTimes(1);
});

it('a lock whose taking a living process wasn’t told of is its own once it asks again, or else released', async () => {
  const url = await freshPostgres();
  const { cable, locks } = await cabled(url);
  const [other] = await several(1, url);
  cable.lose(/insert into locks/, 1);
  expect(await locks.run('a', async () => 'done')).toBe('done');
  cable.lose(/insert into locks/, 2);
  const work = vi.fn(async () => {});
  await expect(locks.run('a', work)).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY' });
  expect(work).not.toHaveBeenCalled();
  expect(await other?.locks.run('a', async () => 'done')).toBe('done');
});
