import { describe, expect, it } from 'vitest';
import { FakeClock } from '../fakes/clock.ts';
import { chatBody, startService } from './support/service.ts';

const key = (name: string) => ({ authorization: `Bearer sk-svc-${name}` });

async function limited() {
  const clock = new FakeClock();
  const service = await startService({
    clock,
    limits: { chat: 12, voice: 6, images: 3, videos: 10, status: 12 },
  });
  return { clock, service };
}

describe('requests per minute', () => {
  it.each([
    ['chat', 12, 'POST', '/chat/completions', chatBody('hi')],
    ['voices', 6, 'GET', '/audio/voices', undefined],
    [
      'speech',
      6,
      'POST',
      '/audio/speech',
      { model: 'svc-tts-1', input: 'a', voice: 'en_male_tim_uranus_bigtts' },
    ],
    ['images', 3, 'POST', '/images/generations', { prompt: 'a' }],
    ['videos', 10, 'POST', '/videos', { prompt: 'a' }],
    ['image status', 12, 'GET', '/images/generations/none', undefined],
    ['video status', 12, 'GET', '/videos/none', undefined],
  ] as const)('%s: %i, then 429 until a minute is over', async (_, limit, method, path, body) => {
    const { clock, service } = await limited();
    for (let request = 0; request < limit; request++)
      expect((await service.call(method, path, body)).status).not.toBe(429);
    const refused = await service.call(method, path, body);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.body.error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    await clock.advance(59_000);
    const later = await service.call(method, path, body);
    expect([later.status, later.headers.get('retry-after')]).toEqual([429, '1']);
    await clock.advance(1_000);
    expect((await service.call(method, path, body)).status).not.toBe(429);
  });

  it('slide: what is refused does not count, and room comes back request by request', async () => {
    const { clock, service } = await limited();
    const create = async () => (await service.post('/videos', { prompt: 'a' })).status;
    for (let request = 0; request < 5; request++) expect(await create()).toBe(200);
    await clock.advance(30_000);
    for (let request = 0; request < 5; request++) expect(await create()).toBe(200);
    for (let request = 0; request < 20; request++) expect(await create()).toBe(429);
    await clock.advance(30_000);
    for (let request = 0; request < 5; request++) expect(await create()).toBe(200);
    expect(await create()).toBe(429);
  });

  it('are shared by the operations of a group, and by no others', async () => {
    const { service } = await limited();
    for (let request = 0; request < 6; request++) await service.get('/audio/voices');
    const speech = { model: 'svc-tts-1', input: 'a', voice: 'en_male_tim_uranus_bigtts' };
    expect((await service.post('/audio/speech', speech)).status).toBe(429);
    expect((await service.chat('hi')).status).toBe(200);
    for (let request = 0; request < 12; request++) await service.get('/videos/none');
    expect((await service.get('/images/generations/none')).status).toBe(429);
    expect((await service.post('/images/generations', { prompt: 'a' })).status).toBe(200);
  });

  it('count for one key alone', async () => {
    const { service } = await limited();
    for (let request = 0; request < 10; request++) await service.post('/videos', { prompt: 'a' });
    expect((await service.post('/videos', { prompt: 'a' })).status).toBe(429);
    expect((await service.post('/videos', { prompt: 'a' }, key('other'))).status).toBe(200);
  });

  it('do not count the sandbox’s own addresses', async () => {
    const { service } = await limited();
    for (let request = 0; request < 20; request++)
      expect((await service.get('/sandbox/meter')).status).toBe(200);
  });

  it('can be changed and switched off', async () => {
    const { service } = await limited();
    await service.post('/sandbox/control', { limits: { chat: 1 } });
    expect((await service.chat('hi')).status).toBe(200);
    expect((await service.chat('hi')).status).toBe(429);
    await service.post('/sandbox/control', { limits: 'off' });
    expect((await service.chat('hi')).status).toBe(200);
  });
});
