import { beforeEach, describe, expect, it } from 'vitest';
import { createFirstTime, type Database, openKeyv } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';

describe.each(databases)('on $name', ({ fresh }) => {
  const clock = new FakeClock();
  const life = 3_600_000;
  let database: Database;
  beforeEach(async () => {
    database = await databaseOfTest(await fresh());
  });

  const open = () => createFirstTime(openKeyv(database, 'test', () => clock.now()));

  it('something is new once, however many ask at once and after a restart, until its time has gone by', async () => {
    const firstTime = open();
    const answers = await Promise.all([1, 2, 3].map(() => firstTime('a', life)));
    expect(answers.toSorted()).toEqual([false, false, true]);
    expect(await firstTime('b', life)).toBe(true);
    expect(await open()('a', life)).toBe(false);
    await clock.advance(life + 1);
    expect(await firstTime('a', life)).toBe(true);
  });

  it('of several processes that ask at once one is told that it’s new', async () => {
    const processes = [open(), open(), open()];
    const answers = await Promise.all(processes.map((firstTime) => firstTime('a', life)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });
});
