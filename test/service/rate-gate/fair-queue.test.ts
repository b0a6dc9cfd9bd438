import { describe, expect, test } from 'vitest';
import { FairQueue } from '../../../src/service/rate-gate/fair-queue.ts';

describe('a fair line', () => {
  const line = (...keys: string[]) => {
    const fair = new FairQueue<{ key: string; name: string }>();
    keys.forEach((key, index) => {
      fair.add({ key, name: key + index });
    });
    return fair;
  };
  const drain = (fair: FairQueue<{ key: string; name: string }>) => {
    const names: string[] = [];
    for (let entry = fair.next(); entry; entry = fair.next()) names.push(entry.name);
    return names;
  };

  test('serves the keys in turns, and each key in order', () => {
    const fair = line('a', 'a', 'a', 'b', 'c', 'b');
    const planned = [...fair.inOrder()].map((entry) => entry.name);
    expect(drain(fair)).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2']);
    expect(planned).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2']);
  });

  test('lets one go ahead of its key', () => {
    const fair = line('a', 'b', 'a');
    fair.add({ key: 'a', name: 'back again' }, true);
    expect(drain(fair)).toEqual(['back again', 'b1', 'a0', 'a2']);
  });

  test('serves those within a key in turns, too, and whoever was sent back at once', () => {
    const fair = new FairQueue<{ key: string; person: string; name: string }>();
    const add = (key: string, person: string, name: string, ahead = false) =>
      fair.add({ key, person, name }, ahead);
    for (let index = 0; index < 3; index++) add('a', 'ada', `ada ${index}`);
    add('a', 'bob', 'bob');
    add('b', 'carl', 'carl');
    add('a', 'dora', 'dora, sent back', true);
    const planned = [...fair.inOrder()].map(({ name }) => name);
    expect(planned).toEqual(['dora, sent back', 'carl', 'ada 0', 'bob', 'ada 1', 'ada 2']);
    expect(fair.newestOfMost()?.name).toBe('ada 2');
    expect([...fair.wishes()].map(({ key, person, count }) => `${key} ${person} ${count}`)).toEqual([
      'a ada 3',
      'a bob 1',
      'b carl 1',
      'a dora 1',
    ]);
    const served: string[] = [];
    for (let entry = fair.next(); entry; entry = fair.next()) served.push(entry.name);
    expect(served).toEqual(planned);
    expect(fair.size).toBe(0);
  });

  test('gives somebody with many keys one turn where others have one, and turns their newest away', () => {
    const fair = new FairQueue<{ key: string; person: string; name: string }>();
    const add = (key: string, person: string, name: string) => fair.add({ key, person, name });
    for (let index = 0; index < 4; index++) add(`hers ${index}`, 'eve', `eve ${index}`);
    add('b', 'bob', 'bob 0');
    expect(fair.newestOfMost()?.name).toBe('eve 3');
    const eve = fair.next();
    add('hers 0', 'mallory', 'mallory 0');
    add('b', 'bob', 'bob 1');
    add('c', 'carl', 'carl 0');
    const planned = [...fair.inOrder()].map(({ name }) => name);
    expect([eve?.name, ...planned].join(', ')).toBe(
      'eve 0, bob 0, eve 1, mallory 0, carl 0, bob 1, eve 2, eve 3',
    );
    const served: string[] = [];
    for (let entry = fair.next(); entry; entry = fair.next()) served.push(entry.name);
    expect(served).toEqual(planned);
  });

  test('turns the newest away where all have as many', () => {
    const fair = line('a', 'b', 'c');
    expect(fair.newestOfMost()?.name).toBe('c2');
    fair.add({ key: 'b', name: 'b again' });
    expect(fair.newestOfMost()?.name).toBe('b again');
  });

  test('forgets a key with nobody waiting', () => {
    const fair = line('a');
    const entry = { key: 'b', name: 'b' };
    fair.add(entry);
    expect(fair.remove(entry)).toBe(true);
    expect(fair.remove(entry)).toBe(false);
    expect(drain(fair)).toEqual(['a0']);
    expect([fair.size, fair.newestOfMost()]).toEqual([0, undefined]);
  });
});
