import { expect, it } from 'vitest';
import { heapSlope, soak } from './soak.ts';

it('every command of a short day is ended, and the process lives on', { timeout: 300_000 }, async () => {
  // In real time: a busy machine would be too slow for a bot in a hurry.
  const report = await soak({ commands: 40, faults: 0.1, seed: 1, atOnce: 4, lookEvery: 20, scale: 1 });
  expect(report).toMatchObject({ given: 40, unfinished: [], ended: undefined });
  // A busy machine doesn't take all in time.
  expect(report.done).toBeGreaterThan(report.taken / 2);
  expect(report.looks).toHaveLength(2);
});

it('tells growth from steady use', () => {
  const look = { resident: 0, handles: 0, kinds: {}, delay99: 0, ownDelay99: 0, processor: 0 };
  const looks = (heapOf: (given: number) => number) =>
    Array.from({ length: 20 }, (_, index) => ({ ...look, given: index * 100, heap: heapOf(index * 100) }));
  expect(heapSlope(looks(() => 5_000_000))).toBe(0);
  expect(heapSlope(looks((given) => 5_000_000 + 300 * given))).toBeCloseTo(300);
});
