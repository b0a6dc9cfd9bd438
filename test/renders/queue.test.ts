import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isLocal } from '../../src/lib/local-faults.ts';
import { type PendingRender, pendingRender, RenderQueue } from '../../src/renders/queue.ts';
import { LastingState } from '../../src/service/index.ts';
import { type Database, isPostgres, openDatabase } from '../../src/store/index.ts';
import { endsWithTest } from '../at-end.ts';
import { FakeClock } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { databases, freshPostgres, Postgres, timeOf } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import { addRender, passInDatabase } from './support/postgres.ts';

const minute = 60_000;
const platforms = ['console', 'discord', 'slack'] as const;

let clock: FakeClock;
let database: Database;
let warned: string[];
beforeEach(() => {
  clock = new FakeClock();
  warned = [];
});

async function start(opened: Promise<Database>): Promise<void> {
  database = await opened;
  endsWithTest(() => database.destroy());
  const process = { platforms: '[]', started_at: 0, seen_at: 0 };
  const living = ['p', 'one', 'two'].map((id) => ({ ...process, id }));
  await database.insertInto('processes').values(living).execute();
}

/** The queue as one process sees it, and how often that was told that something may be due. */
function queueOf(process: string) {
  let told = 0;
  const log = { warn: (_: object, message: string) => void warned.push(message) };
  const queue = new RenderQueue({ database, process, clock, log }, () => {
    told += 1;
  });
  endsWithTest(() => queue.close());
  queue.look();
  return { queue, told: () => told };
}

const render = (id: string, more: Partial<PendingRender> = {}): PendingRender => ({
  ...pendingRender({ id, job: id, platform: 'discord' }),
  ...more,
});
const asleep = (id: string, milliseconds = 0) => ({ render: render(id), milliseconds });
const ids = (renders: readonly PendingRender[]) => renders.map(({ id }) => id);
const pass = async (milliseconds: number) => {
  if (isPostgres(database)) await passInDatabase(database, milliseconds);
  await clock.advance(milliseconds);
};
const rowOf = (id: string) =>
  database
    .selectFrom('renders')
    .select(['process', 'wakes_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

describe.each(databases)('renders that wait, with $name', ({ name, fresh }) => {
  let queue: RenderQueue;
  let told: () => number;

  beforeEach(async () => {
    await start(openMigrated(await fresh()));
    for (const id of ['a', 'b', 'c']) await addRender(database, { id, process: 'p' });
    ({ queue, told } = queueOf('p'));
  });

  it('go on at once, or when their time has come, each once', async () => {
    await queue.put([asleep('a'), asleep('b', 120_000)]);
    expect(ids(await queue.take(9, platforms))).toEqual(['a']);
    await pass(60_000);
    expect(await queue.take(9, platforms)).toEqual([]);
    const before = told();
    await pass(60_000);
    expect(told()).toBeGreaterThan(before);
    expect(ids(await queue.take(9, platforms))).toEqual(['b']);
    await pass(120_000);
    expect(await queue.take(9, platforms)).toEqual([]);
  });

  it('go on before their time where somebody has them hurry, each once, and none that isn’t asleep', async () => {
    await queue.put([asleep('a', 3_600_000), asleep('b', 3_600_000)]);
    expect(await queue.take(9, platforms)).toEqual([]);
    const job = (await database.selectFrom('renders').select('job').where('id', '=', 'a').executeTakeFirst())
      ?.job;
    const before = told();
    expect(await queue.hurry(job ?? '')).toBe(true);
    expect(told()).toBeGreaterThan(before);
    expect(ids(await queue.take(9, platforms))).toEqual(['a']);
    expect(await queue.hurry(job ?? '')).toBe(false);
    expect(await queue.take(9, platforms)).toEqual([]);
  });

  it('are taken at most so many at a time, the first first', async () => {
    for (const [wait, id] of ['a', 'b', 'c'].entries()) await queue.put([asleep(id, 100 + wait)]);
    await pass(200);
    // Those that are taken together come in any order.
    expect(ids(await queue.take(2, platforms)).toSorted()).toEqual(['a', 'b']);
    expect(ids(await queue.take(2, platforms))).toEqual(['c']);
  });

  it('bring back what was known of them', async () => {
    const lastingState = new LastingState();
    const unclear = {
      state: 'running',
      results: [],
      unclear: { word: 'odd\0\ud800', status: { state: 'ready', results: [] } },
    };
    lastingState.read(unclear as never);
    const known = { spacing: 2_500, unansweredQueries: 3, failures: 2, isStuck: true, lastingState };
    await queue.put([{ render: render('a', known), milliseconds: 0 }]);
    const [back] = await queue.take(9, platforms);
    expect(back).toMatchObject({ id: 'a', job: 'a', platform: 'discord', spacing: 2_500 });
    expect(back).toMatchObject({ unansweredQueries: 3, failures: 2, isStuck: true });
    expect(back?.lastingState?.isUnclear).toBe(true);
    // The same three times more is enough.
    const read = () => back?.lastingState?.read(unclear as never).state;
    expect([read(), read(), read()]).toEqual(['running', 'running', 'ready']);
  });

  it('wait once however often they are put', async () => {
    await queue.put([asleep('a')]);
    await queue.put([asleep('a')]);
    expect(ids(await queue.take(9, platforms))).toEqual(['a']);
    expect(await queue.take(9, platforms)).toEqual([]);
  });

  it('are nobody’s while they wait, and when nothing is left to do for them', async () => {
    await queue.put([asleep('a', 5_000)]);
    expect(await rowOf('a')).toEqual({ process: null, wakes_at: expect.any(Number) });
    await pass(5_000);
    const [taken] = await queue.take(9, platforms);
    expect(await rowOf('a')).toEqual({ process: 'p', wakes_at: null });
    await queue.drop(taken!);
    expect(await rowOf('a')).toEqual({ process: null, wakes_at: null });
    await pass(60_000);
    expect(await queue.take(9, platforms)).toEqual([]);
  });

  it('go on only where their platform runs', async () => {
    await queue.put([asleep('a')]);
    expect(await queue.take(9, ['slack', 'console'])).toEqual([]);
    await pass(2_000);
    expect(ids(await queue.take(9, ['discord']))).toEqual(['a']);
  });

  it('do nothing once they are delivered', async () => {
    await queue.put([asleep('a')]);
    await database.updateTable('renders').set({ delivered: '{}' }).execute();
    expect(await queue.take(9, platforms)).toEqual([]);
  });

  it('are counted', async () => {
    await database.updateTable('renders').set({ state: 'waiting' }).where('id', '=', 'b').execute();
    const [a, b] = [asleep('a', 60_000), asleep('b', 120_000)];
    await queue.put([a, { ...b, render: { ...b.render, spacing: 120_000 } }]);
    // One of them isn't sent to the service yet.
    expect(queue.polled(1)).toBe(2);
    await pass(60_000);
    expect(await queue.take(9, platforms)).toHaveLength(1);
    expect(queue.polled(1)).toBe(2);
    await pass(60_000);
    expect(await queue.take(9, platforms)).toHaveLength(1);
    expect(queue.polled(0)).toBe(0);
  });

  it('come no more after the end', async () => {
    await queue.put([asleep('a', 1_000)]);
    queue.close();
    expect(clock.pending).toBe(0);
  });

  it.runIf(name === 'SQLite')(
    'go on where the next process begins with a clock that was set back by hours, and sleep from then on as before',
    async () => {
      await queue.put([asleep('a', 60_000)]);
      queue.close();
      clock = new FakeClock(clock.steady() - 8 * 3_600_000);
      const { queue: next, told: toldNext } = queueOf('p');
      const before = toldNext();
      expect(await next.take(9, platforms)).toEqual([]);
      expect(toldNext()).toBeGreaterThan(before);
      expect(ids(await next.take(9, platforms))).toEqual(['a']);
      await next.put([asleep('a', 60_000)]);
      await pass(59_999);
      expect(await next.take(9, platforms)).toEqual([]);
      await pass(1);
      expect(ids(await next.take(9, platforms))).toEqual(['a']);
    },
  );

  it.runIf(name === 'SQLite').each([-3_600_000, 3_600_000])(
    'are not moved by a clock that is set by %i ms, and have one timer',
    async (step) => {
      await queue.put([asleep('a', 60_000), asleep('b', 70_000)]);
      expect(await queue.take(9, platforms)).toEqual([]);
      clock.step(step);
      await queue.put([asleep('c', 90_000)]);
      await pass(59_999);
      expect([clock.pending, await queue.take(9, platforms)]).toEqual([1, []]);
      await pass(1);
      expect(ids(await queue.take(9, platforms))).toEqual(['a']);
      await pass(30_000);
      expect(await queue.take(9, platforms)).toHaveLength(2);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('renders of several processes', () => {
  beforeEach(async () => start(openMigrated(await freshPostgres())));

  it('go on in one process each, however many look at once', async () => {
    const [one, two] = [queueOf('one').queue, queueOf('two').queue];
    const all = Array.from({ length: 40 }, (_, number) => `r${number}`);
    for (const id of all) await addRender(database, { id, process: 'one' });
    await one.put(all.map((id) => asleep(id)));
    two.look();
    const taken: string[] = [];
    while (taken.length < all.length) {
      const found = await Promise.all([one, two].map((queue) => queue.take(15, platforms)));
      taken.push(...found.flatMap(ids));
      for (const queue of [one, two]) queue.look();
    }
    expect(taken.toSorted()).toEqual(all.toSorted());
  });

  it('are found two seconds later by a process that did not put them to sleep', async () => {
    const [one, two] = [queueOf('one').queue, queueOf('two').queue];
    expect(await two.take(9, platforms)).toEqual([]);
    await addRender(database, { id: 'a', process: 'one' });
    await one.put([asleep('a')]);
    expect(await two.take(9, platforms)).toEqual([]);
    await pass(2_000);
    expect(ids(await two.take(9, platforms))).toEqual(['a']);
  });

  it('stay in the hand of a process that died until another takes them over', async () => {
    const [one, two] = [queueOf('one').queue, queueOf('two').queue];
    await addRender(database, { id: 'a', process: 'one' });
    await pass(120_000);
    expect(await two.take(9, platforms)).toEqual([]);
    await database.updateTable('renders').set({ process: 'two' }).execute();
    // What the dead one still does changes nothing.
    await one.put([asleep('a')]);
    expect((await rowOf('a')).process).toBe('two');
    await two.put([asleep('a')]);
    expect(ids(await two.take(9, platforms))).toEqual(['a']);
  });

  it('aren’t taken by a process that was taken for dead: nobody would take them over', async () => {
    const [one, two] = [queueOf('one').queue, queueOf('two').queue];
    await addRender(database, { id: 'a', process: 'one' });
    await one.put([asleep('a')]);
    await database.updateTable('processes').set({ ended_at: 0 }).where('id', '=', 'one').execute();
    expect(await one.take(9, platforms)).toEqual([]);
    expect(ids(await two.take(9, platforms))).toEqual(['a']);
  });

  it('count also where others have them in hand', async () => {
    for (const id of ['a', 'b', 'c']) await addRender(database, { id, process: 'one' });
    const { queue } = queueOf('two');
    await queue.take(9, platforms);
    expect(queue.polled(1)).toBe(4);
  });
});

it('renders go on where the database’s clock was set back by an hour, and sleep from then on as before', async () => {
  const url = await freshPostgres();
  const time = await timeOf(url);
  await start(openMigrated(url));
  const both = async (milliseconds: number) => {
    await time.pass(milliseconds);
    await clock.advance(milliseconds);
  };
  const { queue } = queueOf('one');
  for (const id of ['a', 'b']) await addRender(database, { id, process: 'one' });
  await queue.put([asleep('a', 60 * minute), asleep('b', 2 * minute)]);
  expect(await queue.take(9, platforms)).toEqual([]);
  await time.pass(-60 * minute);
  await both(2_000);
  await queue.take(9, platforms);
  expect(ids(await queue.take(9, platforms)).toSorted()).toEqual(['a', 'b']);
  await queue.put([asleep('a', minute)]);
  // One that has never seen the database's clock before.
  const { queue: other } = queueOf('two');
  expect(await other.take(9, platforms)).toEqual([]);
  expect(await other.take(9, platforms)).toEqual([]);
  await both(minute);
  expect(ids(await queue.take(9, platforms))).toEqual(['a']);
});

it('renders are not lost while the database is away, and go on when it is back', async () => {
  const server = await Postgres.start();
  endsWithTest(() => server.close());
  await start(openDatabase(server.url()));
  const { queue } = queueOf('one');
  for (const id of ['a', 'b']) await addRender(database, { id, process: 'one' });
  await queue.put([asleep('a')]);
  await server.kill();
  expect(await queue.take(9, platforms)).toEqual([]);
  const failed = await queue.put([asleep('b')]).catch((error: unknown) => error);
  expect(isLocal(failed)).toBe(true);
  await clock.advance(60_000);
  expect(await queue.take(9, platforms)).toEqual([]);
  await server.start();
  await queue.put([asleep('b')]);
  const taken: string[] = [];
  await vi.waitUntil(async () => {
    taken.push(...ids(await queue.take(9, platforms)));
    return taken.length === 2 || clock.advance(2_000);
  }, patience);
  expect(warned).toEqual(['renders can’t be woken until the database is back']);
});
