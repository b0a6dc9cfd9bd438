import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { alone, type Coordination } from '../../src/coordination/index.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import { several } from './support/leases.ts';

const kinds: readonly { name: string; create: () => Promise<Coordination> }[] = [
  { name: 'alone', create: async () => alone() },
  { name: 'over PostgreSQL', create: async () => (await several(1, await freshPostgres()))[0]! },
];

describe.each(kinds)('a process $name', ({ create }) => {
  async function coordination(): Promise<Coordination> {
    const made = await create();
    onTestFinished(() => made.close());
    return made;
  }

  it('does the work for a key one piece at a time, in order', async () => {
    const { locks } = await coordination();
    const first = Promise.withResolvers<void>();
    const seen: string[] = [];
    const both = [
      locks.run('a', () => first.promise.then(() => seen.push('one'))),
      locks.run('a', async () => seen.push('two')),
      locks.run('b', async () => seen.push('other')),
    ];
    await both[2];
    first.resolve();
    await Promise.all(both);
    expect(seen).toEqual(['other', 'one', 'two']);
  });

  it('goes on with the next piece when one fails, and gives each its own outcome', async () => {
    const { locks } = await coordination();
    const failed = locks.run('a', () => Promise.reject(new Error('no')));
    const done = locks.run('a', async () => 'done');
    await expect(failed).rejects.toThrow('no');
    expect(await done).toBe('done');
  });

  it('brings a signal to everybody who listens, until they stop', async () => {
    const { signals } = await coordination();
    const heard: string[] = [];
    const stop = signals.on('news', (text) => heard.push(text));
    signals.on('end', (text) => heard.push(text));
    await signals.send('news', 'one\ntwo');
    await vi.waitFor(() => expect(heard).toEqual(['one\ntwo']), patience);
    stop();
    await signals.send('news', 'three');
    await signals.send('end', '');
    await vi.waitFor(() => expect(heard).toEqual(['one\ntwo', '']), patience);
  });

  it('has an id of its own in every process', async () => {
    expect((await coordination()).process).not.toBe((await coordination()).process);
  });
});
