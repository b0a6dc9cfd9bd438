import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../fakes/clock.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type Answered, type Service, startService } from './support/service.ts';

const video = { prompt: 'a cat', duration: 4 };
const headers = { 'x-svc-conversation-id': 'room' };

/** A sandbox that has accepted videos and is killed before any is done: it writes nothing any more. */
function killed(folder: string): Promise<Service> {
  return startService({ folder, clock: new FakeClock(), renderTime: 1 });
}

const bytesOf = async ({ data }: Answered['body']): Promise<Buffer> =>
  Buffer.from(await (await fetch(data[0].url)).arrayBuffer());

describe('a task of a sandbox that was killed', () => {
  it('runs again under its id, with the same result, and is charged once', async () => {
    const folder = await temporaryFolder();
    const before = await killed(folder);
    const accepted = await before.post('/videos', video, headers);
    const after = await startService({ folder });
    const { body } = await after.finished(`/videos/${accepted.body.id}`);
    expect(body).toMatchObject({ ...accepted.body, status: 'succeeded', progress: 100 });
    expect(body.data[0].url).toContain(new URL(after.url).origin);
    expect(after.studio.filmed).toMatchObject([{ prompt: 'a cat', seconds: 4, seed: accepted.body.seed }]);
    expect(await after.meter()).toMatchObject({
      credits: 320,
      conversations: { room: { credits: 320 } },
      items: [{ request_id: accepted.headers.get('x-request-id'), conversation_id: 'room' }],
    });
    const whole = await startService();
    const other = await whole.post('/videos', { ...video, seed: accepted.body.seed });
    const { body: same } = await whole.finished(`/videos/${other.body.id}`);
    expect((await bytesOf(body)).equals(await bytesOf(same))).toBe(true);
  });

  it('may be an image, with its references', async () => {
    const folder = await temporaryFolder();
    const before = await killed(folder);
    const request = {
      prompt: 'a cat',
      size: '3k',
      reference_images: ['https://a.example/b.png'],
      async: true,
    };
    const { id } = (await before.post('/images/generations', request)).body;
    expect(before.studio.drawn).toEqual([]);
    const after = await startService({ folder });
    const { body } = await after.finished(`/images/generations/${id}`);
    expect(body).toMatchObject({ status: 'succeeded', data: [{ b64_json: expect.any(String) }] });
    expect(after.studio.drawn).toMatchObject([
      { prompt: 'a cat', width: 3072, references: ['https://a.example/b.png'] },
    ]);
  });

  it('belongs to its key alone', async () => {
    const folder = await temporaryFolder();
    const { id } = (await (await killed(folder)).post('/videos', video)).body;
    const after = await startService({ folder });
    const other = { authorization: 'Bearer sk-svc-other' };
    expect((await after.get(`/videos/${id}`, other)).status).toBe(404);
    await after.finished(`/videos/${id}`);
    expect((await after.get('/sandbox/meter', other)).body.credits).toBe(0);
  });

  it('goes wrong as it would have', async () => {
    const folder = await temporaryFolder();
    const before = await killed(folder);
    const { id } = (await before.post('/videos', { prompt: 'a cat [[error]]' })).body;
    await before.post('/sandbox/control', { faults: [{ operation: 'video', do: 'gone' }] });
    const gone = (await before.post('/videos', video)).body;
    const after = await startService({ folder });
    const failed = (await after.finished(`/videos/${id}`)).body;
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'generation_failed' } });
    const { data } = (await after.finished(`/videos/${gone.id}`)).body;
    expect((await fetch(data[0].url)).status).toBe(410);
    expect((await after.meter()).credits).toBe(320);
  });

  it('survives any number of restarts', async () => {
    const folder = await temporaryFolder();
    const { id } = (await (await killed(folder)).post('/videos', video)).body;
    for (let restart = 0; restart < 3; restart++) {
      const again = await killed(folder);
      expect((await again.get(`/videos/${id}`)).body.status).toMatch(/queued|processing/);
    }
    expect((await (await startService({ folder })).finished(`/videos/${id}`)).body.status).toBe('succeeded');
  });
});

describe('a task that was finished before a restart', () => {
  it('has its result at the new address, and stays on the meter once', async () => {
    const folder = await temporaryFolder();
    const first = await startService({ folder });
    const { id } = (await first.post('/videos', video, headers)).body;
    const finished = (await first.finished(`/videos/${id}`)).body;
    const bytes = await bytesOf(finished);
    const { items } = await first.meter();
    await first.close();
    for (let restart = 0; restart < 2; restart++) {
      const next = await startService({ folder });
      expect(next.url).not.toBe(first.url);
      const { body } = await next.get(`/videos/${id}`);
      expect({ ...body, data: null }).toEqual({ ...finished, data: null });
      expect((await bytesOf(body)).equals(bytes)).toBe(true);
      expect(next.studio.filmed).toEqual([]);
      expect(await next.meter()).toMatchObject({ credits: 320, operations: { video: { calls: 1 } }, items });
      await next.close();
    }
  });

  it('stays failed', async () => {
    const folder = await temporaryFolder();
    const first = await startService({ folder });
    const { id } = (await first.post('/videos', { prompt: 'a cat [[error]]' })).body;
    const failed = (await first.finished(`/videos/${id}`)).body;
    await first.close();
    const next = await startService({ folder });
    expect((await next.get(`/videos/${id}`)).body).toEqual(failed);
    expect((await next.meter()).credits).toBe(0);
  });

  it('does not come back to a meter that began again', async () => {
    const folder = await temporaryFolder();
    const first = await startService({ folder });
    const { id } = (await first.post('/videos', video)).body;
    await first.finished(`/videos/${id}`);
    await first.call('DELETE', '/sandbox/meter');
    await first.close();
    const next = await startService({ folder });
    expect((await next.get(`/videos/${id}`)).body.status).toBe('succeeded');
    expect((await next.meter()).credits).toBe(0);
  });
});

describe('the folder of a sandbox', () => {
  const names = async (folder: string, part: string) => (await readdir(join(folder, part))).sort();

  it('keeps an image that was answered at once for its day', async () => {
    const folder = await temporaryFolder();
    const clock = new FakeClock();
    const first = await startService({ folder, clock });
    const request = { prompt: 'a cat', response_format: 'url' };
    const { pathname } = new URL((await first.post('/images/generations', request)).body.data[0].url);
    await first.close();
    await clock.advance(24 * 3_600_000 - 1);
    const second = await startService({ folder, clock });
    expect((await fetch(new URL(pathname, second.url))).status).toBe(200);
    await second.close();
    await clock.advance(1);
    const third = await startService({ folder, clock });
    expect((await fetch(new URL(pathname, third.url))).status).toBe(410);
    expect(await names(folder, 'files')).toEqual([]);
  });

  it('holds what its tasks need and no more', async () => {
    const folder = await temporaryFolder();
    const first = await killed(folder);
    const { id } = (await first.post('/videos', { ...video, prompt: 'a secret plan' })).body;
    const read = () => readFile(join(folder, 'tasks', `${id}.json`), 'utf8');
    expect(await read()).toContain('a secret plan');
    const next = await startService({ folder });
    await next.finished(`/videos/${id}`);
    await next.close();
    expect(await read()).not.toContain('a secret plan');
    expect((await read()).length).toBeLessThan(1_000);
  });

  it('holds no more finished tasks than are known', async () => {
    const folder = await temporaryFolder();
    const request = { prompt: 'a', async: true };
    const first = await startService({ folder });
    const { id } = (await first.post('/images/generations', request)).body;
    await first.finished(`/images/generations/${id}`);
    await first.close();
    const [oldest] = await names(folder, 'tasks');
    const task = JSON.parse(await readFile(join(folder, 'tasks', oldest!), 'utf8'));
    for (let later = 1; later < 500; later++) {
      const copy = {
        ...task,
        id: `image_${String(later).padStart(24, '0')}`,
        createdAt: task.createdAt + later,
      };
      await writeFile(join(folder, 'tasks', `${copy.id}.json`), JSON.stringify(copy));
    }
    const next = await startService({ folder });
    const before = await names(folder, 'tasks');
    expect(before).toHaveLength(500);
    const { id: added } = (await next.post('/images/generations', request)).body;
    await next.finished(`/images/generations/${added}`);
    await next.close();
    const others = before.filter((name) => name !== oldest);
    expect(await names(folder, 'tasks')).toEqual([...others, `${added}.json`].sort());
  });

  it('deletes incomplete and foreign files', async () => {
    const folder = await temporaryFolder();
    const first = await startService({ folder });
    const { id } = (await first.post('/videos', video)).body;
    const { data } = (await first.finished(`/videos/${id}`)).body;
    await first.close();
    const strays = ['video_0.json', `video_${'0'.repeat(24)}.json`, 'video_1.json.part', 'notes.txt'];
    for (const name of strays) await writeFile(join(folder, 'tasks', name), '{"id":');
    await writeFile(join(folder, 'files', 'half.mp4.part'), 'half');
    const next = await startService({ folder });
    expect(await names(folder, 'tasks')).toEqual([`${id}.json`]);
    expect(await names(folder, 'files')).toEqual([data[0].url.split('/').at(-1)]);
    expect((await next.get(`/videos/${id}`)).body.status).toBe('succeeded');
    expect(next.faults).toEqual([]);
  });

  it('that cannot be written to is reported, and the sandbox goes on', async () => {
    const folder = await temporaryFolder();
    const service = await startService({ folder });
    await rm(join(folder, 'tasks'), { recursive: true });
    const { id } = (await service.post('/videos', video)).body;
    expect((await service.finished(`/videos/${id}`)).body.status).toBe('succeeded');
    expect(service.faults).not.toEqual([]);
  });
});
