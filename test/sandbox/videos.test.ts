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

const video = { prompt: 'a cat' };
const reference_video_urls = ['https://a.example/b.mp4'];

const begun = async (prompt = video.prompt): Promise<string> =>
  (await service.post('/videos', { prompt })).body.id;

async function made(more: object = {}) {
  const { body } = await service.post('/videos', { ...video, ...more });
  return (await service.finished(`/videos/${body.id}`)).body;
}

describe('a video', () => {
  it('is queued, then processed, then there', async () => {
    const clock = await startTimed({ renderTime: 1 });
    const created = (await service.post('/videos', { ...video, seed: 7 })).body;
    expect(created).toEqual({
      id: expect.stringMatching(/^video_[0-9a-f]{24}$/),
      object: 'video.task',
      created_at: clock.now() / 1_000,
      duration: 5,
      resolution: '720p',
      quality: 'balanced',
      ratio: '16:9',
      generate_audio: true,
      operation: 'generate',
      seed: 7,
      status: 'queued',
      progress: 0,
    });
    const status = async () => (await service.get(`/videos/${created.id}`)).body;
    await clock.advance(1_999);
    expect((await status()).status).toBe('queued');
    await clock.advance(1 + 4_000);
    expect(await status()).toMatchObject({ status: 'processing', progress: 50 });
    await clock.advance(3_999);
    expect(await status()).toMatchObject({ status: 'processing', progress: 99 });
    await clock.advance(1);
    const { body } = await service.finished(`/videos/${created.id}`);
    expect(body).toMatchObject({ status: 'succeeded', progress: 100, data: [{ url: expect.any(String) }] });
  });

  it('is never further than the work itself', async () => {
    const clock = await startTimed({ renderTime: 1 });
    const work = Promise.withResolvers<void>();
    service.studio.filming = work.promise;
    const id = await begun();
    await clock.advance(60_000);
    expect((await service.get(`/videos/${id}`)).body).toMatchObject({ status: 'processing', progress: 50 });
    work.resolve();
    expect((await service.finished(`/videos/${id}`)).body.status).toBe('succeeded');
  });

  it('passes all parameters to the studio', async () => {
    const reference_image_urls = ['https://a.example/c.png'];
    const references = { reference_image_urls, reference_video_urls };
    await made({ duration: 9, seed: -3, generate_audio: false, ...references });
    expect(service.studio.filmed).toEqual([
      {
        ...{ prompt: 'a cat', seconds: 9, width: 1280, height: 720, seed: -3, generateAudio: false },
        references: [...reference_image_urls, ...reference_video_urls],
      },
    ]);
  });

  it('is the same for the same prompt and seed, and tells the seed it chose', async () => {
    const bytes = async (task: { data: [{ url: string }] }) =>
      Buffer.from(await (await fetch(task.data[0].url)).arrayBuffer());
    const first = await made();
    const other = await made();
    expect(first.seed).not.toBe(other.seed);
    const again = await made({ seed: first.seed });
    expect((await bytes(again)).equals(await bytes(first))).toBe(true);
    expect((await bytes(other)).equals(await bytes(first))).toBe(false);
  });

  it.each([
    [{}, 400],
    [{ duration: 4, resolution: '480p' }, 148],
    [{ duration: 15, resolution: '1080p' }, 3_720],
    [{ quality: 'quality' }, 500],
    [{ quality: 'quality', resolution: '480p' }, 230],
    [{ quality: 'quality', resolution: '1080p' }, 1_240],
    [{ reference_video_urls }, 545],
    [{ reference_video_urls, quality: 'quality', resolution: '480p' }, 255],
    [{ reference_video_urls, operation: 'edit', resolution: '1080p', duration: 6 }, 1_626],
    [{ reference_image_urls: ['https://a.example/c.png'] }, 400],
  ])('%j costs %i credits', async (more, credits) => {
    await made(more);
    expect((await service.meter()).credits).toBe(credits);
  });

  it('[[error]] fails while it runs, and costs nothing', async () => {
    expect(await made({ prompt: 'a cat [[error]]' })).toMatchObject({
      status: 'failed',
      error: { code: 'generation_failed', message: expect.any(String) },
    });
    expect((await service.meter()).credits).toBe(0);
  });

  it('[[fail 500]] is refused at once', async () => {
    expect((await service.post('/videos', { prompt: 'a cat [[fail 500]]' })).status).toBe(500);
    expect((await service.post('/videos', { prompt: 'a cat [[filter]]' })).status).toBe(400);
  });

  it('[[stall]] is never ready, [[slow 60]] a minute later', async () => {
    const clock = new FakeClock();
    service = await startService({ clock });
    const stalled = await begun('a cat [[stall]]');
    const slow = await begun('a cat [[slow 60]]');
    await clock.advance(59_999);
    expect((await service.get(`/videos/${slow}`)).body.status).toBe('processing');
    await clock.advance(1);
    expect((await service.finished(`/videos/${slow}`)).body.status).toBe('succeeded');
    await clock.advance(24 * 3_600_000);
    expect((await service.get(`/videos/${stalled}`)).body).toMatchObject({
      status: 'processing',
      progress: 45,
    });
  });

  it('[[lost]] loses the answer with its id, and the video is made and metered all the same', async () => {
    await expect(service.post('/videos', { prompt: 'a cat [[lost]]' })).rejects.toThrow();
    while ((await service.meter()).credits === 0);
    expect((await service.meter()).credits).toBe(400);
  });
});

describe('tasks', () => {
  const other = { authorization: 'Bearer sk-svc-other' };

  it('of other keys, of the other kind and unknown ones are not found', async () => {
    const id = await begun();
    expect((await service.get(`/videos/${id}`)).status).toBe(200);
    for (const [path, headers] of [
      [`/videos/${id}`, other],
      [`/images/generations/${id}`, undefined],
      ['/videos/video_unknown', undefined],
      [`/videos/${'x'.repeat(3_000)}`, undefined],
    ] as const) {
      const { status, body } = await service.get(path, headers);
      expect(status).toBe(404);
      expect(body.error.code).toBe('task_not_found');
    }
  });

  it('are 200 unfinished ones at most, and the oldest finished ones are forgotten', async () => {
    const clock = new FakeClock();
    service = await startService({ clock });
    const first = await begun();
    await service.finished(`/videos/${first}`);
    for (let task = 0; task < 200; task++) await service.post('/videos', { prompt: 'a [[stall]]' });
    const refused = await service.post('/videos', video);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'too_many_tasks']);
    expect((await service.post('/videos', video, other)).status).toBe(200);
    expect((await service.get(`/videos/${first}`)).status).toBe(200);
  });
});
