import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Database, openKeyv } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';

describe.each(databases)('values under keys, on $name', ({ fresh }) => {
  const clock = new FakeClock();
  let database: Database;
  beforeEach(async () => {
    database = await databaseOfTest(await fresh());
  });

  it('under many keys are found by them and by what those begin with, until they expire; another namespace’s aren’t', async () => {
    const records = openKeyv(database, 'test', () => clock.now());
    await records.setAll(['quoted a:1 in x', 'quoted a:12 in x', 'quoted b:#1 in y'], true, 2_000);
    await records.setAll(['quoted a:1 in z'], true, 1_000);
    await openKeyv(database, 'other', () => clock.now()).setAll(['quoted a:1 in other'], true, 2_000);
    // More than one query looks for at a time.
    const prefixes = Array.from({ length: 150 }, (_, index) => `quoted none:${index} in `);
    const found = async () =>
      (await records.keysStartingWith(['quoted a:1 in ', ...prefixes, 'quoted b:#1 in '])).toSorted();
    expect(await found()).toEqual(['quoted a:1 in x', 'quoted a:1 in z', 'quoted b:#1 in y']);
    const keys = ['quoted a:1 in z', 'quoted a:1 in other', 'quoted a:12 in x'];
    expect([...(await records.having(keys))].toSorted()).toEqual(['quoted a:1 in z', 'quoted a:12 in x']);
    await clock.advance(1_500);
    expect(await found()).toEqual(['quoted a:1 in x', 'quoted b:#1 in y']);
    expect([...(await records.having(keys))]).toEqual(['quoted a:12 in x']);
    expect(await records.hasAny(['quoted a:1 in z'])).toBe(false);
    expect(await records.keysStartingWith([])).toEqual([]);
  });

  it('are found by what they begin with, however many there are', async () => {
    const many = sql`with recursive numbers(one) as (select 1 union all select one + 1 from numbers where one < 20000)`;
    // PostgreSQL ends a statement that takes some seconds, as one for all of them does on a busy machine.
    for (let part = 0; part < 10; part++)
      await sql`insert into keyv (key, value) ${many} select ${`test::${part} `} || one, '1' from numbers`.execute(
        database,
      );
    const records = openKeyv(database, 'test', () => clock.now());
    expect(await records.keysStartingWith([''])).toHaveLength(200_000);
  });

  it('are read some at a time, each once, while others change them', async () => {
    const records = openKeyv(database, 'test', () => clock.now());
    const keys = Array.from({ length: 90 }, (_, index) => `a ${String(index).padStart(2, '0')}`);
    await records.setAll([...keys, 'b'], { text: 'x' }, 2_000);
    await records.setAll(['a 05'], { text: 'x' }, 1_000);
    await openKeyv(database, 'test2', () => clock.now()).setAll(['a 00'], true, 2_000);
    await clock.advance(1_500);
    const seen: string[] = [];
    for await (const [key, value] of records.entries<{ text: string }>('a ')) {
      seen.push(`${key} ${value.text}`);
      if (key === 'a 00') await records.delete('a 89');
      await records.set(key, { text: 'y' }, 2_000);
    }
    const others = keys.filter((key) => key !== 'a 05' && key !== 'a 89');
    expect(seen).toEqual(others.map((key) => `${key} x`));
  });

  it('of the first release are read, changed and found like others', async () => {
    const records = openKeyv(database, 'test', () => clock.now());
    const value = JSON.stringify(JSON.stringify({ value: { text: '::wave: hi', count: 1 }, expires: 1 }));
    await database.insertInto('keyv').values({ key: 'test::a', value, expires: null }).execute();
    const told = { text: ':wave: hi', count: 1 };
    expect(await records.get('a')).toEqual(told);
    expect(await records.startingWith('a')).toEqual([told]);
    const counted = (before?: typeof told) => before && { ...before, count: before.count + 1 };
    expect(await records.change('a', 1_000, counted)).toEqual({ ...told, count: 2 });
    expect(await records.get('a')).toEqual({ ...told, count: 2 });
  });

  it('are given back as they were', async () => {
    const records = openKeyv(database, 'test', () => clock.now());
    const value = { text: ':wave: "hi" \ud83d', list: [null, '', 0.5, false], nested: { '': ':' } };
    await records.set('a', value, 1_000);
    await records.add('b', value);
    expect([await records.get('a'), await records.get('b')]).toEqual([value, value]);
    expect([await records.has('a'), await records.delete('a'), await records.delete('a')]).toEqual([
      ...[true, true, false],
    ]);
    expect(await records.get('a')).toBeUndefined();
  });
});
