import { expect, it } from 'vitest';
import { SharedRuns } from '../../src/lib/clock.ts';

function runs() {
  const shared = new SharedRuns<number>();
  const ends: (() => void)[] = [];
  const work = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const count = ends.push(resolve);
    await promise;
    return count;
  };
  return { shared, ends, work };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('all who ask before a run has begun share it; those who ask while it’s under way share the next', async () => {
  const { shared, ends, work } = runs();
  const first = [shared.run('a', work), shared.run('a', work)];
  await turn();
  const second = [shared.run('a', work), shared.run('a', work)];
  await turn();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await turn();
  expect(ends).toHaveLength(2);
  ends[1]?.();
  expect(await Promise.all(second)).toEqual([2, 2]);
});

it('another key has runs of its own, and a run that fails doesn’t hold up the next', async () => {
  const { shared, ends, work } = runs();
  const failed = shared.run('a', () => Promise.reject(new Error('away')));
  const next = turn().then(() => shared.run('a', work));
  const other = shared.run('b', work);
  await expect(failed).rejects.toThrow('away');
  await turn();
  await turn();
  for (const end of ends) end();
  expect((await Promise.all([next, other])).sort()).toEqual([1, 2]);
});
