import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isLocal } from '../../../src/lib/local-faults.ts';
import { AgendaWakeUps } from '../../../src/renders/polling/agenda-wake-ups.ts';
import { openBoss } from '../../../src/renders/polling/boss.ts';
import { BossWakeUps } from '../../../src/renders/polling/boss-wake-ups.ts';
import { type PendingRender, pendingRender, type WakeUps } from '../../../src/renders/polling/wake-ups.ts';
import { LastingState } from '../../../src/service/index.ts';
import { type Database, openDatabase } from '../../../src/store/index.ts';
import { bossSchema } from '../../../src/store/postgres/boss-schema.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { openMigrated } from '../../fakes/database.ts';
import { databases, emptyPostgres, freshPostgres, Postgres } from '../../fakes/postgres/index.ts';
import { patience } from '../../patience.ts';
import { addRender, passInDatabase } from '../support/postgres.ts';

const platforms = ['console', 'discord', 'slack'] as const;
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

let clock: FakeClock;
let database: Database;
let warned: string[];
beforeEach(() => {
  clock = new FakeClock();
  warned = [];
});

async function start(opened: Promise<Database>): Promise<void> {
  database = await opened;
  open.push(() => database.destroy());
}

/** The wake-ups of one process, and what it has in hand. */
async function wakeUpsOf(process: string) {
  const held = new Set<string>();
  const log = { warn: (_: object, message: string) => void warned.push(message) };
  const wakeUps = await BossWakeUps.open({ database, process, clock, log });
  open.push(() => wakeUps.close());
  let due = 0;
  wakeUps.start(
    () => {
      due += 1;
    },
    (id) => held.has(id),
  );
  return { wakeUps, held, told: () => due };
}

const render = (id: string, more: Partial<PendingRender> = {}): PendingRender => ({
  ...pendingRender({ id, job: id, platform: 'discord' }),
  ...more,
});
const ids = (renders: readonly PendingRender[]) => renders.map(({ id }) => id);
const pass = async (milliseconds: number) => {
  await passInDatabase(database, milliseconds);
  await clock.advance(milliseconds);
};
const rowOf = (id: string) =>
  database
    .selectFrom('renders')
    .select(['process', 'wakes_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const jobs = async () =>
  (await sql<{ state: string }>`select state from ${sql.ref(`${bossSchema}.job`)}`.execute(database)).rows;

describe.each(databases)('wake-ups with $name', ({ name, fresh }) => {
  let wakeUps: WakeUps;
  let told: () => number;
  const put = (one: PendingRender, milliseconds: number) => wakeUps.put([{ render: one, milliseconds }]);

  beforeEach(async () => {
    await start(openMigrated(await fresh()));
    for (const id of ['a', 'b', 'c']) await addRender(database, { id, process: 'p' });
    if (name === 'PostgreSQL') {
      let held: Set<string>;
      ({ wakeUps, told, held } = await wakeUpsOf('p'));
      for (const id of ['a', 'b', 'c']) held.add(id);
    } else {
      let due = 0;
      wakeUps = new AgendaWakeUps(clock);
      wakeUps.start(
        () => {
          due += 1;
        },
        () => false,
      );
      told = () => due;
    }
  });
  const time = (milliseconds: number) =>
    name === 'PostgreSQL' ? pass(milliseconds) : clock.advance(milliseconds);

  it('come at once, or when their time has come, each once', async () => {
    await put(render('a'), 0);
    await put(render('b'), 2_000);
    expect(ids(await wakeUps.take(9, platforms))).toEqual(['a']);
    await time(1_900);
    expect(await wakeUps.take(9, platforms)).toEqual([]);
    const before = told();
    await time(100);
    expect(told()).toBeGreaterThan(before);
    expect(ids(await wakeUps.take(9, platforms))).toEqual(['b']);
    await time(60_000);
    expect(await wakeUps.take(9, platforms)).toEqual([]);
  });

  it('are taken at most so many at a time, the first first', async () => {
    for (const id of ['a', 'b', 'c']) await put(render(id), 0);
    // Those that are taken together come in any order.
    expect(ids(await wakeUps.take(2, platforms)).toSorted()).toEqual(['a', 'b']);
    expect(ids(await wakeUps.take(2, platforms))).toEqual(['c']);
  });

  it('bring back what was known of a render', async () => {
    const lastingState = new LastingState();
    const unclear = {
      state: 'running',
      results: [],
      unclear: { word: 'odd\0\ud800', status: { state: 'ready', results: [] } },
    };
    lastingState.read(unclear as never);
    await put(
      render('a', { spacing: 2_500, unansweredQueries: 3, failures: 2, isStuck: true, lastingState }),
      0,
    );
    const [back] = await wakeUps.take(9, platforms);
    expect(back).toMatchObject({ spacing: 2_500, unansweredQueries: 3, failures: 2, isStuck: true });
    expect(back?.lastingState?.isUnclear).toBe(true);
    // The same three times more is enough.
    const read = () => back?.lastingState?.read(unclear as never).state;
    expect([read(), read(), read()]).toEqual(['running', 'running', 'ready']);
  });

  it('wait once however often they are put', async () => {
    await put(render('a'), 0);
    await put(render('a'), 0);
    expect(ids(await wakeUps.take(9, platforms))).toEqual(['a']);
    expect(await wakeUps.take(9, platforms)).toEqual([]);
  });

  it('nothing comes of after the end', async () => {
    await put(render('a'), 1_000);
    await wakeUps.close();
    expect(clock.pending).toBe(0);
  });
});

describe('wake-ups of several processes', () => {
  beforeEach(async () => start(openMigrated(await freshPostgres())));

  it('come to one process each, however many look at once', async () => {
    const [one, two] = [await wakeUpsOf('one'), await wakeUpsOf('two')];
    const all = Array.from({ length: 40 }, (_, number) => `r${number}`);
    for (const id of all) await addRender(database, { id, process: 'one' });
    await one.wakeUps.put(all.map((id) => ({ render: render(id), milliseconds: 0 })));
    const taken = await Promise.all(
      [one, two, one, two].map(async ({ wakeUps }) => ids(await wakeUps.take(15, platforms))),
    );
    expect(taken.flat().toSorted()).toEqual(all.toSorted());
  });

  it('come only to processes that run their platform', async () => {
    const { wakeUps } = await wakeUpsOf('one');
    await addRender(database, { id: 'a', process: 'one' });
    await wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    expect(await wakeUps.take(9, ['slack', 'console'])).toEqual([]);
    await clock.advance(2_000);
    expect(ids(await wakeUps.take(9, ['discord']))).toEqual(['a']);
  });

  it('say whose a render is: one process, or none while it waits', async () => {
    const { wakeUps } = await wakeUpsOf('one');
    await addRender(database, { id: 'a', process: 'one' });
    await wakeUps.put([{ render: render('a'), milliseconds: 5_000 }]);
    expect(await rowOf('a')).toEqual({ process: null, wakes_at: expect.any(Number) });
    await pass(5_000);
    const [taken] = await wakeUps.take(9, platforms);
    expect(await rowOf('a')).toEqual({ process: 'one', wakes_at: null });
    await wakeUps.drop(taken!);
    expect(await rowOf('a')).toEqual({ process: null, wakes_at: null });
    // Nothing of pg-boss is left that it would have to look after.
    expect(await jobs()).toEqual([]);
  });

  it('delivered twice are taken once: the second finds the render in another hand', async () => {
    const [one, two] = [await wakeUpsOf('one'), await wakeUpsOf('two')];
    await addRender(database, { id: 'a', process: 'one' });
    await one.wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    const boss = await openBoss(database, [], () => {});
    await boss.send('renders-discord', render('a'), { singletonKey: 'another' });
    await boss.stop({ graceful: false });
    const taken = [await one.wakeUps.take(1, platforms), await two.wakeUps.take(1, platforms)];
    expect(taken.map(ids)).toEqual([['a'], []]);
    await clock.advance(2_000);
    expect(await one.wakeUps.take(9, platforms)).toEqual([]);
    expect((await rowOf('a')).process).toBe('one');
  });

  it('of a render that a process had in hand when it died come when another has taken it over', async () => {
    const [one, two] = [await wakeUpsOf('one'), await wakeUpsOf('two')];
    await addRender(database, { id: 'a', process: 'one' });
    await one.wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    expect(ids(await one.wakeUps.take(9, platforms))).toEqual(['a']);
    one.held.add('a');
    await pass(120_000);
    expect(await two.wakeUps.take(9, platforms)).toEqual([]);
    await database.updateTable('renders').set({ process: 'two' }).execute();
    // What the dead one still does changes nothing.
    await one.wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    expect((await rowOf('a')).process).toBe('two');
    await two.wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    expect(ids(await two.wakeUps.take(9, platforms))).toEqual(['a']);
  });

  it('that got lost come again after a minute', async () => {
    const { wakeUps } = await wakeUpsOf('one');
    await addRender(database, { id: 'a', process: 'one' });
    await wakeUps.put([{ render: render('a', { spacing: 3_000 }), milliseconds: 3_000 }]);
    await sql`delete from ${sql.ref(`${bossSchema}.job`)}`.execute(database);
    await pass(45_000);
    expect(await wakeUps.take(9, platforms)).toEqual([]);
    await pass(45_000);
    await vi.waitUntil(async () => (await jobs()).length > 0, patience);
    await pass(2_000);
    expect(ids(await wakeUps.take(9, platforms))).toEqual(['a']);
    expect(warned).toEqual(['renders are late, and are woken again']);
  });

  it('that are only late stay one each', async () => {
    const [one, two] = [await wakeUpsOf('one'), await wakeUpsOf('two')];
    await addRender(database, { id: 'a', process: 'one' });
    await one.wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    for (let minute = 0; minute < 3; minute++) {
      await pass(60_000);
      await vi.waitUntil(async () => (await rowOf('a')).wakes_at !== null, patience);
    }
    expect(await jobs()).toHaveLength(1);
    expect(ids(await two.wakeUps.take(9, platforms))).toEqual(['a']);
  });

  it('are made at the start for open renders that never had one: they are from SQLite', async () => {
    await addRender(database, { id: 'a', process: null });
    const { wakeUps } = await wakeUpsOf('one');
    await vi.waitUntil(async () => (await jobs()).length > 0, patience);
    await clock.advance(2_000);
    expect(ids(await wakeUps.take(9, platforms))).toEqual(['a']);
  });

  it('are made at the start for all of them, however many', async () => {
    const many = Array.from({ length: 501 }, (_, index) => `render ${index}`);
    for (const id of many) await addRender(database, { id, process: null });
    await wakeUpsOf('one');
    await vi.waitUntil(async () => (await jobs()).length === many.length, patience);
  });

  it('are made for renders that say they are in hand and are not: the answer to the claim was lost', async () => {
    const { wakeUps, held } = await wakeUpsOf('one');
    held.add('b');
    await addRender(database, { id: 'a', process: 'one' });
    await addRender(database, { id: 'b', process: 'one' });
    await pass(32_000);
    await vi.waitUntil(async () => (await jobs()).length > 0, patience);
    await pass(2_000);
    expect(ids(await wakeUps.take(9, platforms))).toEqual(['a']);
  });

  it('of what has been delivered meanwhile do nothing', async () => {
    const { wakeUps } = await wakeUpsOf('one');
    await addRender(database, { id: 'a', process: 'one' });
    await wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    await database.updateTable('renders').set({ delivered: '{}' }).execute();
    expect(await wakeUps.take(9, platforms)).toEqual([]);
    expect(await jobs()).toEqual([]);
  });

  it('count what is open in all processes', async () => {
    for (const id of ['a', 'b', 'c']) await addRender(database, { id, process: 'one' });
    const two = await wakeUpsOf('two');
    await vi.waitUntil(() => two.wakeUps.outstanding(0) === 3, patience);
    expect(two.wakeUps.outstanding(5)).toBe(5);
  });

  it('are in tables of their own for each version of pg-boss', async () => {
    await wakeUpsOf('one');
    const { rows } = await sql<{
      version: number;
    }>`select version from ${sql.ref(`${bossSchema}.version`)}`.execute(database);
    expect(`pgboss_${rows[0]?.version}`).toBe(bossSchema);
  });

  it('are opened by several processes at once', async () => {
    // Without pg-boss' tables.
    await start(openDatabase(await emptyPostgres()));
    const opened = await Promise.all(['one', 'two', 'three'].map(wakeUpsOf));
    await addRender(database, { id: 'a', process: 'one' });
    await opened[0]!.wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    expect(ids(await opened[2]!.wakeUps.take(9, platforms))).toEqual(['a']);
  });
});

describe('wake-ups while the database is away', () => {
  it('are not lost, and come when it is back', async () => {
    const server = await Postgres.start();
    open.push(() => server.close());
    await start(openDatabase(server.url()));
    const { wakeUps } = await wakeUpsOf('one');
    for (const id of ['a', 'b']) await addRender(database, { id, process: 'one' });
    await wakeUps.put([{ render: render('a'), milliseconds: 0 }]);
    await server.kill();
    expect(await wakeUps.take(9, platforms)).toEqual([]);
    const failed = await wakeUps
      .put([{ render: render('b'), milliseconds: 0 }])
      .catch((error: unknown) => error);
    expect(isLocal(failed)).toBe(true);
    await clock.advance(60_000);
    expect(await wakeUps.take(9, platforms)).toEqual([]);
    await server.start();
    await clock.advance(2_000);
    await wakeUps.put([{ render: render('b'), milliseconds: 0 }]);
    // It removes what it brings, and may bring them one by one.
    const taken: string[] = [];
    await vi.waitUntil(async () => {
      taken.push(...ids(await wakeUps.take(9, platforms)));
      return taken.length === 2 || clock.advance(2_000);
    }, patience);
    expect(warned.filter((text) => text.includes('until the database is back'))).toHaveLength(1);
  });
});
