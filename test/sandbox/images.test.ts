import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
const startTimed = async (options: SandboxOptions = {}) => {
  const clock = new FakeClock();
  service = await startService({ clock, ...options });
  return clock;
};

const image = { prompt: 'a cat' };

describe('an image', () => {
  it('comes as base64 by default', async () => {
    const { status, body } = await service.post('/images/generations', image);
    expect(status).toBe(200);
    expect(body).toEqual({ created: expect.any(Number), data: [{ b64_json: expect.any(String) }] });
    const order = { prompt: 'a cat', width: 2048, height: 2048, references: [], seed: expect.any(Number) };
    expect(service.studio.drawn).toEqual([order]);
    expect((await service.meter()).credits).toBe(22);
  });

  it('is another one each time, of the same prompt too', async () => {
    for (let count = 0; count < 4; count++) await service.post('/images/generations', image);
    expect(new Set(service.studio.drawn.map(({ seed }) => seed)).size).toBe(4);
  });

  it('comes as a URL that needs no key', async () => {
    const request = {
      ...image,
      response_format: 'url',
      size: '640x480',
      reference_images: ['https://a.example/b.png'],
    };
    const { url } = (await service.post('/images/generations', request)).body.data[0];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/files\/[\w-]{24}\.png$/);
    const file = await fetch(url);
    expect(file.headers.get('content-type')).toBe('image/png');
    const drawn = await service.studio.draw(service.studio.drawn[0]!);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.from(drawn));
    expect(service.studio.drawn[0]).toMatchObject({
      width: 640,
      height: 480,
      references: ['https://a.example/b.png'],
    });
  });

  it('takes three seconds at the usual pace', async () => {
    const clock = await startTimed({ renderTime: 1 });
    const answer = service.post('/images/generations', image);
    while (clock.pending === 0) await service.get('/audio/voices');
    await clock.advance(2_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect((await answer).status).toBe(200);
  });
});

describe('an asynchronous image', () => {
  const request = { ...image, async: true, response_format: 'url' };

  it('is queued, then processed, then there', async () => {
    const clock = await startTimed({ renderTime: 1 });
    const created = (await service.post('/images/generations', request)).body;
    expect(created).toEqual({
      id: expect.stringMatching(/^image_[0-9a-f]{24}$/),
      object: 'image.task',
      created_at: clock.now() / 1_000,
      size: '2k',
      response_format: 'url',
      status: 'queued',
      progress: 0,
    });
    const path = `/images/generations/${created.id}`;
    expect((await service.get(path)).body).toEqual(created);
    await clock.advance(1_000);
    expect((await service.get(path)).body).toMatchObject({ status: 'processing', progress: 0 });
    await clock.advance(1_500);
    expect((await service.get(path)).body).toMatchObject({ status: 'processing', progress: 50 });
    expect((await service.meter()).credits).toBe(0);
    await clock.advance(1_500);
    const { body } = await service.finished(path);
    expect(body).toMatchObject({ status: 'succeeded', progress: 100, data: [{ url: expect.any(String) }] });
    expect((await fetch(body.data[0].url)).status).toBe(200);
    expect((await service.meter()).credits).toBe(22);
  });

  it('comes as base64 by default', async () => {
    const { id } = (await service.post('/images/generations', { ...image, async: true })).body;
    const { body } = await service.finished(`/images/generations/${id}`);
    const drawn = await service.studio.draw(service.studio.drawn[0]!);
    expect(body.data).toEqual([{ b64_json: Buffer.from(drawn).toString('base64') }]);
  });

  it('[[error]] fails while it runs, and costs nothing', async () => {
    const { status, body } = await service.post('/images/generations', {
      ...request,
      prompt: 'a cat [[error]]',
    });
    expect(status).toBe(200);
    const failed = (await service.finished(`/images/generations/${body.id}`)).body;
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'generation_failed' } });
    expect(failed.data).toBeUndefined();
    expect((await service.meter()).credits).toBe(0);
    expect(service.studio.drawn).toEqual([]);
  });

  it('that breaks down inside fails with no word of why', async () => {
    service.studio.failure = new Error('secret reason');
    const { id } = (await service.post('/images/generations', request)).body;
    const { body } = await service.finished(`/images/generations/${id}`);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
    expect(service.faults).toEqual([service.studio.failure]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('[[gone]] is there, but its file is not', async () => {
    const prompt = 'a cat [[gone]]';
    const { id } = (await service.post('/images/generations', { ...request, prompt })).body;
    const { body } = await service.finished(`/images/generations/${id}`);
    expect((await fetch(body.data[0].url)).status).toBe(410);
    const inline = (await service.post('/images/generations', { ...image, prompt, async: true })).body;
    expect((await service.finished(`/images/generations/${inline.id}`)).status).toBe(410);
    const { data } = (await service.post('/images/generations', { ...request, prompt, async: false })).body;
    expect((await fetch(data[0].url)).status).toBe(410);
  });
});
