import { beforeEach, describe, expect, it } from 'vitest';
import { alone, type Coordination } from '../../../../src/coordination/index.ts';
import { Arrivals, type ArrivalsDependencies } from '../../../../src/platforms/slack/incoming/arrivals.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { databases } from '../../../fakes/postgres/index.ts';

describe.each(databases)('what comes to two processes, on $name', ({ fresh }) => {
  let one: Arrivals;
  let other: Arrivals;
  let clock: FakeClock;
  let first: Coordination;
  /** What's being written. */
  let added: Promise<unknown>[];

  /** Time passes once the database has said who was first. */
  async function standsBy(): Promise<void> {
    await Promise.all(added);
    await clock.advance(1_000);
  }

  beforeEach(async () => {
    clock = new FakeClock();
    const database = await openMigrated(await fresh());
    endsWithTest(() => database.destroy());
    const kept = openKeyv(database, 'slack', () => clock.now());
    added = [];
    const store: ArrivalsDependencies['store'] = {
      add: (...given) => {
        const adding = kept.add(...given);
        added.push(adding);
        return adding;
      },
      change: (...given) => kept.change(...given),
      get: kept.get.bind(kept),
      has: kept.has.bind(kept),
    };
    const share = processesSharing(clock);
    first = share();
    one = new Arrivals({ store, coordination: first, clock });
    other = new Arrivals({ store, coordination: share(), clock });
  });

  it('is new in one of them, once', async () => {
    const asked = [one, other, one, other].map((process) => process.isFirst('a press'));
    await standsBy();
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1);
    expect(await one.isFirst('another')).toBe(true);
  });

  it('is the other’s where the first dies with it, once', async () => {
    expect(await one.isFirst('a press')).toBe(true);
    const asked = [other.isFirst('a press'), other.isFirst('a press')];
    await first.others.ended();
    await standsBy();
    expect(await Promise.all(asked)).toEqual([true, false]);
  });

  it('is done in one of them, and the other waits for that', async () => {
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    const done: string[] = [];
    const first = one.once('an event', async () => {
      await promise;
      done.push('one');
    });
    const second = other.once('an event', async () => void done.push('other')).then(() => [...done]);
    finish();
    await first;
    expect(await second).toEqual(['one']);
  });

  it('is done by the other where it fails in the first', async () => {
    const done: string[] = [];
    const failing = one.once('an event', async () => {
      throw new Error('no database');
    });
    const second = other.once('an event', async () => void done.push('other'));
    await expect(failing).rejects.toThrow('no database');
    await second;
    await one.once('an event', async () => void done.push('again'));
    expect(done).toEqual(['other']);
  });
});

it('without the database it’s handled where it came, which finds that out', async () => {
  const away = () => Promise.reject(new Error('away'));
  const arrivals = new Arrivals({
    store: { add: away, change: away, get: away, has: away },
    coordination: { ...alone(), slots: () => ({ take: async () => 0 }), locks: { run: away } },
    clock: new FakeClock(),
  });
  expect(await arrivals.isFirst('a press')).toBe(true);
  let done = 0;
  await arrivals.once('an event', async () => void done++);
  expect(done).toBe(1);
});

it('what its author was told nothing comes of isn’t done after a restart either', async () => {
  const clock = new FakeClock();
  const database = await openMigrated('sqlite::memory:');
  const store = openKeyv(database, 'slack', () => clock.now());
  let isAway = true;
  const add: typeof store.add = (...what) =>
    isAway ? Promise.reject(new Error('away')) : store.add(...what);
  const reached: ArrivalsDependencies['store'] = {
    add,
    change: (...given) => store.change(...given),
    get: store.get.bind(store),
    has: store.has.bind(store),
  };
  const start = () => new Arrivals({ store: reached, coordination: alone(), clock });
  start().wasTold('an event');
  isAway = false;
  const isNoted = async () => {
    await clock.advance(1_000);
    return store.has('arrived an event');
  };
  await expect.poll(isNoted).toBe(true);
  const done: string[] = [];
  const next = start();
  await next.once('an event', async () => void done.push('refused'));
  await next.once('another', async () => void done.push('new'));
  expect(done).toEqual(['new']);
  await database.destroy();
});
