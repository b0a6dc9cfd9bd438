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
    const fair = new FairQueue<{ key: string; within: string; name: string }>();
    const add = (key: string, within: string, name: string, ahead = false) =>
      fair.add({ key, within, name }, ahead);
    for (let index = 0; index < 3; index++) add('a', 'ada', `ada ${index}`);
    add('a', 'bob', 'bob');
    add('b', 'carl', 'carl');
    add('a', 'dora', 'dora, sent back', true);
    const planned = [...fair.inOrder()].map(({ name }) => name);
    expect(planned).toEqual(['dora, sent back', 'carl', 'ada 0', 'bob', 'ada 1', 'ada 2']);
    expect(fair.newestOfLongest()?.name).toBe('ada 2');
    expect([fair.size, fair.count('a'), [...fair.counts()]]).toEqual([
      6,
      5,
      [
        ['a', 5],
        ['b', 1],
      ],
    ]);
    const served: string[] = [];
    for (let entry = fair.next(); entry; entry = fair.next()) served.push(entry.name);
    expect(served).toEqual(planned);
    expect(fair.size).toBe(0);
  });

  test('forgets a key with nobody waiting', () => {
    const fair = line('a');
    const entry = { key: 'b', name: 'b' };
    fair.add(entry);
    expect(fair.remove(entry)).toBe(true);
    expect(fair.remove(entry)).toBe(false);
    expect(drain(fair)).toEqual(['a0']);
    expect([fair.size, fair.count('a'), fair.count('b')]).toEqual([0, 0, 0]);
  });
});
