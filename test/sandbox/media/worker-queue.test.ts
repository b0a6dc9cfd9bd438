import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';
import { QueueClosed, WorkerCrashed, WorkerQueue } from '../../../src/sandbox/media/worker-queue.ts';
import type { EchoJob } from './echo-worker.ts';

interface Echo {
  said: string;
  jobs: number;
  bytes: Uint8Array;
}

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()));
});

function queue({ oneJobEach = false } = {}): WorkerQueue<EchoJob, Echo> {
  const script = new URL('./echo-worker.ts', import.meta.url);
  const made = new WorkerQueue<EchoJob, Echo>(script, { oneJobEach });
  closing.push(made);
  return made;
}

describe('a queue', () => {
  it('answers in order on one worker that it keeps', async () => {
    const one = queue();
    const answers = await Promise.all(['a', 'b', 'c'].map((say) => one.run({ say })));
    expect(answers.map(({ said, jobs }) => [said, jobs])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('uses a new worker for every job if configured so', async () => {
    const one = queue({ oneJobEach: true });
    const answers = [await one.run({ say: 'a' }), await one.run({ say: 'b' })];
    expect(answers.map(({ jobs }) => jobs)).toEqual([1, 1]);
  });

  it('hands on progress and the error a job fails with', async () => {
    const heard: number[] = [];
    const one = queue();
    await one.run({ say: 'a' }, { onProgress: (progress) => heard.push(progress) });
    expect(heard).toEqual([0.5]);
    await expect(one.run({ fail: 'no' })).rejects.toThrow(new RangeError('no'));
    await expect(one.run({ say: 'b' })).resolves.toMatchObject({ jobs: 3 });
  });

  it.each(['crash', 'exit'] as const)(
    'fails the job of a worker that ends by %s, and replaces the worker',
    async (job) => {
      const one = queue();
      const [lost, next] = await Promise.allSettled([one.run(job), one.run({ say: 'after' })]);
      expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(WorkerCrashed) });
      expect(next).toMatchObject({ status: 'fulfilled', value: { said: 'after', jobs: 1 } });
    },
  );

  it('gives up an aborted job at once and goes on with the next', async () => {
    const one = queue();
    const stop = new AbortController();
    const reason = new Error('enough');
    const running = one.run('hang', { signal: stop.signal, onProgress: () => stop.abort(reason) });
    const next = one.run({ say: 'next' });
    await expect(running).rejects.toBe(reason);
    await expect(next).resolves.toMatchObject({ said: 'next' });
  });

  it('never starts a job that was aborted while it waited', async () => {
    const one = queue();
    const stop = new AbortController();
    const first = one.run({ say: 'first' });
    const waiting = one.run({ say: 'waiting' }, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await first;
    await expect(one.run({ say: 'last' })).resolves.toMatchObject({ jobs: 2 });
    await expect(one.run({ say: 'late' }, { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('that is closed fails what it was doing, what waits and what comes', async () => {
    const one = queue();
    const closed = new Promise((resolve) => {
      const jobs = [one.run('hang', { onProgress: () => void one.close() }), one.run({ say: 'waiting' })];
      void Promise.allSettled(jobs).then(resolve);
    });
    const failed = { status: 'rejected', reason: expect.any(QueueClosed) };
    expect(await closed).toMatchObject([failed, failed]);
    await expect(one.run({ say: 'late' })).rejects.toThrow(QueueClosed);
  });
});

describe('the studio', () => {
  it('speaks and draws while a long film is made', async () => {
    const studio = new MediaStudio();
    closing.push(studio);
    const stop = new AbortController();
    let isDone = false;
    const film = studio
      .film(
        { prompt: 'sea', seconds: 15, width: 1920, height: 1080, seed: 1, generateAudio: true },
        undefined,
        stop.signal,
      )
      .finally(() => {
        isDone = true;
      });
    const caught = film.catch((reason: unknown) => reason);
    await studio.speak({ text: 'Hello.', voice: 'en_male_tim_uranus_bigtts', format: 'ogg', speed: 1 });
    await studio.draw({ prompt: 'sea', width: 100, height: 100 });
    expect(isDone).toBe(false);
    stop.abort(new Error('enough'));
    expect(await caught).toEqual(new Error('enough'));
  });

  it('loads nothing that draws, speaks or encodes into the thread of its caller', () => {
    const seen = loadedBy(new URL('../../../src/sandbox/media/studio.ts', import.meta.url));
    const packages = [...seen].filter((name) => !name.startsWith('file:') && !name.startsWith('node:'));
    expect(packages).toEqual([]);
    expect([...seen].filter((name) => name.endsWith('worker-queue.ts'))).toHaveLength(1);
  });
});

/** Everything that loading a module loads, by its import lines; those of types load nothing. */
function loadedBy(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const source = readFileSync(file, 'utf8');
  for (const [, name] of source.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)) {
    if (name!.startsWith('.')) loadedBy(new URL(name!, file), seen);
    else seen.add(name!);
  }
  return seen;
}
