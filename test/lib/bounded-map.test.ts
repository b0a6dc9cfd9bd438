import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/lib/bounded-map.ts';
import { FakeClock } from '../fakes/clock.ts';

describe('a bounded map', () => {
  it('forgets what was set longest ago, where there is too much', () => {
    const map = new BoundedMap<string, number>({ most: 2 });
    for (const [at, key] of ['a', 'b', 'c'].entries()) map.set(key, at);
    expect(map.keys()).toEqual(['b', 'c']);
    expect([map.get('a'), map.get('b'), map.has('c'), map.size]).toEqual([undefined, 1, true, 2]);
  });

  it('counts a key as new when it is set again, and not when it is read', () => {
    const map = new BoundedMap<string, number>({ most: 2 });
    map.set('a', 1);
    map.set('b', 1);
    map.set('a', 2);
    map.get('b');
    map.set('c', 1);
    expect([map.get('a'), map.has('b')]).toEqual([2, false]);
  });

  it('forgets what is older than its lifetime', async () => {
    const clock = new FakeClock();
    const map = new BoundedMap<string, number>({ most: 5, lifetime: { milliseconds: 1_000, clock } });
    map.set('a', 1);
    await clock.advance(600);
    map.set('b', 2);
    await clock.advance(399);
    expect(map.keys()).toEqual(['a', 'b']);
    await clock.advance(1);
    expect([map.get('a'), map.get('b'), map.size]).toEqual([undefined, 2, 1]);
    map.set('b', 3);
    await clock.advance(999);
    expect(map.get('b')).toBe(3);
    await clock.advance(1);
    expect(map.has('b')).toBe(false);
  });

  it('forgets a key on request, and may change while its keys are gone through', () => {
    const map = new BoundedMap<string, number>({ most: 3 });
    for (const key of ['a', 'b', 'c']) map.set(key, 1);
    expect([map.delete('b'), map.delete('b')]).toEqual([true, false]);
    for (const key of map.keys()) map.set(key, 2);
    expect(map.keys().map((key) => map.get(key))).toEqual([2, 2]);
  });
});
