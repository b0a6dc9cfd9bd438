import { describe, expect, it } from 'vitest';
import { inWorker, MediaWorkError } from '../../src/media/index.ts';
import { FakeClock } from '../fakes/clock.ts';

const worker = (name: string) => new URL(`./${name}.ts`, import.meta.url);

describe('work on a file', () => {
  it('is ended after thirty seconds, its thread with it, and holds up nothing meanwhile', async () => {
    const clock = new FakeClock();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const work = inWorker(worker('spin'), undefined, clock).catch((error: unknown) => error);
    await clock.advance(29_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await work).toBeInstanceOf(MediaWorkError);
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    await expect.poll(ports).toBe(before);
  });

  it.each(['throw', 'end'])('that does not come to an end of its own (%s) is a fault', async (how) => {
    const clock = new FakeClock();
    const failed = await inWorker(worker('fail'), how, clock).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MediaWorkError);
    expect(clock.pending).toBe(0);
  });
});
