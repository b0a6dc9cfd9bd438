import { beforeEach, describe, expect, it } from 'vitest';
import { knownVoices } from '../../src/service-rules/voices.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
beforeEach(async () => {
  service = await startService();
});

const speech = { model: 'svc-tts-1', input: 'hello', voice: 'en_male_tim_uranus_bigtts' };
const speak = (more: object = {}) => service.raw('POST', '/audio/speech', { ...speech, ...more });

describe('the voices', () => {
  it('are the twelve of the description with their languages, and cost nothing', async () => {
    const { status, body } = await service.get('/audio/voices');
    expect(status).toBe(200);
    expect(body.object).toBe('list');
    expect(body.data.map((voice: { id: string }) => voice.id)).toEqual(knownVoices.map(({ id }) => id));
    expect(body.data[0].languages).toEqual(['zh-CN', 'en']);
    expect(await service.meter()).toMatchObject({
      credits: 0,
      operations: { voices: { calls: 1, credits: 0 } },
    });
  });
});

describe('speech', () => {
  it('has the requested format, mp3 by default', async () => {
    for (const [response_format, type] of [
      [undefined, 'audio/mp3'],
      ['wav', 'audio/wav'],
      ['opus', 'audio/opus'],
    ]) {
      const response = await speak({ response_format });
      expect(response.headers.get('content-type')).toBe(type);
      const bytes = await response.arrayBuffer();
      expect(Number(response.headers.get('content-length'))).toBe(bytes.byteLength);
    }
    const { input: text, voice } = speech;
    expect(service.studio.spoken[0]).toEqual({ text, voice, language: 'en', format: 'mp3', speed: 1 });
  });

  it.each([
    ['zh_female_vv_uranus_bigtts', undefined, 'zh-CN'],
    ['zh_female_vv_uranus_bigtts', 'zh-CN', 'zh-CN'],
    ['zh_female_vv_uranus_bigtts', 'en', 'en'],
    ['zh_female_vv_uranus_bigtts', 'en-GB', 'en'],
    ['zh_female_vv_uranus_bigtts', 'fr', 'zh-CN'],
    ['zh_female_vv_uranus_bigtts', 'nonsense', 'zh-CN'],
    ['en_male_tim_uranus_bigtts', 'zh-CN', 'en'],
    ['zh_male_m191_uranus_bigtts', 'en', 'zh-CN'],
  ])('%s with language %s speaks %s', async (voice, language, spoken) => {
    const response = await speak({ voice, language });
    expect(response.headers.get('x-sandbox-language')).toBe(spoken);
    expect(service.studio.spoken[0]?.language).toBe(spoken);
  });

  it.each([
    [0.2, 0.125],
    [1, 0.125],
    [1.01, 0.25],
    [2.4, 0.375],
    [8, 1],
    [59.001, 7.5],
  ])('of %d seconds costs %d credits', async (seconds, credits) => {
    service.studio.seconds = seconds;
    await speak();
    expect((await service.meter()).credits).toBe(credits);
  });

  it('does not read the words that make it fail', async () => {
    await speak({ input: 'one [[gone]] two [[unknown]]' });
    expect(service.studio.spoken[0]?.text).toBe('one  two [[unknown]]');
    expect((await service.post('/audio/speech', { ...speech, input: 'a [[fail 502]]' })).status).toBe(502);
    expect((await service.post('/audio/speech', { ...speech, input: 'a [[filter]]' })).body.error.code).toBe(
      'content_policy_violation',
    );
  });

  it('that breaks down inside is a 500 with no word of why, and costs nothing', async () => {
    service.studio.failure = new Error('secret reason');
    const { status, body } = await service.post('/audio/speech', speech);
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(service.faults).toEqual([service.studio.failure]);
    expect((await service.meter()).credits).toBe(0);
  });

  it('is cut in the middle of the file on a fault', async () => {
    const response = await speak({ input: 'a [[break off]]' });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});
