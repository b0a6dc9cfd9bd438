import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { MediaWorkError, runInWorker } from '../../src/media/index.ts';
import { FakeClock } from '../fakes/clock.ts';

vi.mock(import('node:worker_threads'), { spy: true });

const worker = (name: string) => new URL(`./${name}.ts`, import.meta.url);

const bytes = new Uint8Array(8);

describe('work on a file', () => {
  it('is ended after thirty seconds with its thread, and doesn’t block meanwhile', async () => {
    const clock = new FakeClock();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const work = runInWorker(worker('spin'), { bytes }, clock).catch((error: unknown) => error);
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
    const [, given] = vi.mocked(Worker).mock.calls[threads] ?? [];
    expect(given?.workerData).toEqual({ bytes: new Uint8Array() });
  });

  it.each(['throw', 'end'])('that crashes (%s) is an error', async (how) => {
    const clock = new FakeClock();
    const failed = await runInWorker(worker('fail'), { bytes, how }, clock).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MediaWorkError);
    expect(clock.pending).toBe(0);
  });
});
