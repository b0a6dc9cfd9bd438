import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFirstTime, type Database, openDatabase, openKeyv } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';

const clock = new FakeClock();
let database: Database;
beforeEach(async () => {
  database = await openDatabase('sqlite::memory:');
});
afterEach(() => database.destroy());

const open = () => createFirstTime(openKeyv(database, 'test', () => clock.now()));

it('something is new once, however many ask at once and after a restart, until its time has gone by', async () => {
  const firstTime = open();
  const answers = await Promise.all([1, 2, 3].map(() => firstTime('a', 1_000)));
  expect(answers).toEqual([true, false, false]);
  expect(await firstTime('b', 1_000)).toBe(true);
  expect(await open()('a', 1_000)).toBe(false);
  await clock.advance(1_001);
  expect(await firstTime('a', 1_000)).toBe(true);
});
