import { sql } from 'kysely';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { sharedSlots } from '../../src/coordination/rates.ts';
import { FakeClock } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { freshPostgres, timeOf } from '../fakes/postgres/index.ts';

const minute = 60_000;

afterEach(() => void vi.restoreAllMocks());

/** Processes with connections of their own to one database, which may use something five times a minute. */
async function processes(count: number) {
  const url = await freshPostgres();
  const time = await timeOf(url);
  const clock = new FakeClock();
  const databases = await Promise.all(Array.from({ length: count }, () => openMigrated(url)));
  onTestFinished(async () => void (await Promise.all(databases.map((database) => database.destroy()))));
  const slots = databases.map((database) => sharedSlots(database, clock)('talks', 5, minute));
  const pass = async (milliseconds: number) => {
    await time.pass(milliseconds);
    await clock.advance(milliseconds);
  };
  /** How many of so many tries, in turns, used a slot. */
  const used = async (tries: number) => {
    let count = 0;
    for (let index = 0; index < tries; index++)
      if ((await slots[index % slots.length]?.take()) === 0) count += 1;
    return count;
  };
  return { databases, slots, clock, pass, used };
}

it('processes together use no more than there is', async () => {
  const { used, slots } = await processes(2);
  expect(await used(12)).toBe(5);
  expect(await slots[0]?.take()).toBeGreaterThan(0);
  expect(await slots[0]?.take()).toBeLessThanOrEqual(minute);
});

it('processes leave as many as they’re told to, as far as they know', async () => {
  const { slots, used } = await processes(2);
  let taken = 0;
  for (let index = 0; index < 6; index++) if ((await slots[index % 2]?.take(2)) === 0) taken += 1;
  // Each learns with its own next use what the other has used.
  expect([3, 4]).toContain(taken);
  for (const one of slots) expect(await one.take(2)).toBeGreaterThan(0);
  expect(taken + (await used(4))).toBe(5);
});

it('at the same time, too', async () => {
  const { slots } = await processes(3);
  const waits = await Promise.all(Array.from({ length: 30 }, (_, index) => slots[index % 3]?.take()));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
});

it('no minute has more uses than that, whenever they are', async () => {
  const { used, pass } = await processes(2);
  const uses: number[] = [];
  for (let step = 0; step < 60; step++) {
    for (let count = await used(2); count > 0; count--) uses.push(step * 5_000);
    await pass(5_000);
  }
  const inMinuteFrom = (from: number) => uses.filter((at) => at >= from && at < from + minute).length;
  expect(Math.max(...uses.map(inMinuteFrom))).toBe(5);
  // Nothing is left unused for long either.
  expect(uses.length).toBeGreaterThanOrEqual(23);
});

it('processes seldom ask about a slot that another has used', async () => {
  let seed = 1;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  });
  const { databases, pass, clock } = await processes(2);
  const slots = databases.map((database) => sharedSlots(database, clock)('often', 100, minute));
  const asked = databases.map((database) => vi.spyOn(database, 'executeQuery'));
  // For some minutes, so that each comes to slots that the other used; three in four are in use.
  for (let step = 0; step < 300; step++) {
    expect(await slots[step % 2]?.take()).toBe(0);
    await pass(800);
  }
  const questions = asked.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  expect(questions).toBeLessThan(360);
});

it('different names have slots of their own', async () => {
  const { databases, used } = await processes(1);
  await used(5);
  const [database] = databases;
  if (!database) throw new Error('one of them');
  expect(await sharedSlots(database, new FakeClock())('else', 1, minute).take()).toBe(0);
});

it('while the database is away, each process keeps the limit for itself', async () => {
  const { databases, used } = await processes(1);
  await databases[0]?.destroy();
  expect(await used(12)).toBe(5);
});

it('nor does it forget then what others have used, however long that is', async () => {
  const { databases, slots, pass } = await processes(2);
  const [one, other] = slots;
  for (let use = 0; use < 3; use++) expect(await one?.take()).toBe(0);
  await pass(20_000);
  expect(await other?.take()).toBe(0);
  await databases[1]?.destroy();
  expect(await other?.take()).toBe(0);
  expect(await other?.take()).toBe(40_000);
  await pass(39_000);
  expect(await other?.take()).toBe(1_000);
  await pass(1_000);
  for (let use = 0; use < 3; use++) expect(await other?.take()).toBe(0);
  expect(await other?.take()).toBe(20_000);
});

it('a process tells no other time than the database', async () => {
  const { databases, used } = await processes(2);
  await used(5);
  const ahead = new FakeClock(Date.UTC(2026, 0, 1) + 60 * minute);
  const [database] = databases;
  if (!database) throw new Error('one of them');
  expect(await sharedSlots(database, ahead)('talks', 5, minute).take()).toBe(minute);
});

it('where the database’s clock was set back, what was used before is free again', async () => {
  const { databases, used } = await processes(2);
  await used(5);
  const [database] = databases;
  if (!database) throw new Error('one of them');
  const next = () => sharedSlots(database, new FakeClock())('talks', 5, minute);
  const setBack = (milliseconds: number) =>
    sql`update test_time set now = now - ${milliseconds}::bigint`.execute(database);
  // A step so small may be no more than a correction.
  await setBack(900);
  expect(await next().take()).toBe(minute);
  await setBack(60 * minute);
  const slots = next();
  for (let use = 0; use < 5; use++) expect(await slots.take()).toBe(0);
  expect(await slots.take()).toBe(minute);
  expect(await next().take()).toBe(minute);
});

it('nobody waits for a database that’s slow', async () => {
  const { databases, slots, pass } = await processes(2);
  const [database, other] = databases;
  if (!database || !other) throw new Error('two of them');
  const isOver = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  const locked = other.transaction().execute(async (transaction) => {
    await sql`lock table rates in access exclusive mode`.execute(transaction);
    isLocked.resolve();
    await isOver.promise;
  });
  await isLocked.promise;
  const taken = slots[0]?.take();
  await pass(250);
  expect(await taken).toBe(0);
  expect(await slots[0]?.take()).toBe(0);
  isOver.resolve();
  await locked;
});
