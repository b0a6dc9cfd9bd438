import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase, openKeyv } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { databases } from '../../fakes/postgres/index.ts';

describe.each(databases)('values under many keys, on $name', ({ fresh }) => {
  const clock = new FakeClock();
  let database: Database;
  beforeEach(async () => {
    database = await openDatabase(await fresh());
  });
  afterEach(() => database.destroy());

  it('are found by their keys and by what those begin with, until they expire; another namespace’s aren’t', async () => {
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
});
