import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { MediaWorkError, runInWorker, type WorkOptions } from '../../src/media/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import type { EchoTask } from './echo.ts';

vi.mock(import('node:worker_threads'), { spy: true });

const worker = (name: string) => new URL(`./${name}.ts`, import.meta.url);

const bytes = new Uint8Array(8);

describe('work on a file', () => {
  it('is ended after thirty seconds with its thread, and doesn’t block meanwhile', async () => {
    const clock = new FakeClock();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const work = runInWorker(worker('spin'), { bytes }, { clock }).catch((error: unknown) => error);
    await clock.advance(29_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await work).toBeInstanceOf(MediaWorkError);
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    await expect.poll(ports).toBe(before);
  });

  it('doesn’t block while a large file is copied, which isn’t changed', async () => {
    const large = new Uint8Array(64 * 2 ** 20).fill(7);
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    const threads = vi.mocked(Worker).mock.calls.length;
    setImmediate(turn);
    const work = runInWorker<number>(worker('sum'), { bytes: large });
    while (vi.mocked(Worker).mock.calls.length === threads) await new Promise(setImmediate);
    // Sixteen pieces.
    expect(turns).toBeGreaterThan(10);
    isOver = true;
    expect(await work).toBe(7 * large.length);
    expect(large[large.length - 1]).toBe(7);
  });

  it.each(['throw', 'crash', 'exit'] as const)(
    'that fails (%s) is an error, and ends its thread',
    async (how) => {
      const clock = new FakeClock();
      await echo();
      const failed = await echo({ how }, { clock }).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(MediaWorkError);
      expect(clock.pending).toBe(0);
      expect(await echo()).toBe(1);
    },
  );

  it('is given up at once when its signal says so, with its thread', async () => {
    await echo();
    const stop = new AbortController();
    const reason = new Error('enough');
    const hanging = echo({ how: 'hang' }, { signal: stop.signal, onProgress: () => stop.abort(reason) });
    await expect(hanging).rejects.toBe(reason);
    expect(await echo()).toBe(1);
    await expect(echo({}, { signal: stop.signal })).rejects.toBe(reason);
  });

  it('tells how far it is', async () => {
    const heard: number[] = [];
    await echo({}, { onProgress: (progress) => heard.push(progress) });
    expect(heard).toEqual([0.5]);
  });
});

describe('a thread', () => {
  it('takes one task after another; two at once have two', async () => {
    const before = await echo();
    expect([await echo(), await echo()]).toEqual([before + 1, before + 2]);
    expect((await Promise.all([echo(), echo()])).toSorted()).toEqual([1, before + 3]);
  });

  it('doesn’t keep the process alive while it waits', async () => {
    await echo();
    expect(process.getActiveResourcesInfo()).not.toContain('MessagePort');
  });

  it.each([
    { name: 'whose memory is to be freed', options: { isKept: false } },
    { name: 'that had a large file', task: { bytes: new Uint8Array(5 * 2 ** 20) } },
    { name: 'that could make nothing of its file', task: { how: 'nothing' } as const },
  ])('$name ends with its task', async ({ task, options }) => {
    await Promise.all([echo(), echo()]);
    await Promise.all([echo(task, options), echo(task, options)]);
    expect(await echo()).toBe(1);
  });

  it('ends a minute after its last task', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const before = await echo();
      vi.advanceTimersByTime(59_999);
      expect(await echo()).toBe(before + 1);
      vi.advanceTimersByTime(59_999);
      expect(await echo()).toBe(before + 2);
      vi.advanceTimersByTime(60_000);
      expect(await echo()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Which task of its thread this is. */
async function echo(task: EchoTask = {}, options?: WorkOptions): Promise<number> {
  const answer = await runInWorker<{ readonly tasks: number } | undefined>(worker('echo'), task, options);
  return answer?.tasks ?? 0;
}
