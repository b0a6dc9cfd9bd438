import { afterAll, describe, expect, it } from 'vitest';
import { type Clip, MediaStudio, type SpeechRequest } from '../../../src/sandbox/media/studio.ts';
import { knownVoices } from '../../../src/service-rules/voices.ts';
import { decode, loudness, medianPitch } from './decode.ts';

const studio = new MediaStudio();
afterAll(() => studio.close());

const english = 'The quick brown fox jumps over the lazy dog.';
const chinese = '今天天气很好，我们一起去公园散步吧。';
const both = 'The quick fox. 你好。';
const plain: SpeechRequest = { text: english, voice: 'zh_female_vv_uranus_bigtts', format: 'wav', speed: 1 };
/** Clips by what was asked for: many tests look at the same ones. */
const spoken = new Map<string, Promise<Clip>>();
const speak = (request: Partial<SpeechRequest>) => {
  const asked = { ...plain, ...request };
  const key = JSON.stringify(asked);
  const clip = spoken.get(key) ?? studio.speak(asked);
  spoken.set(key, clip);
  return clip;
};
const hear = async (request: Partial<SpeechRequest>) => {
  const clip = await speak(request);
  return { clip, ...(await decode(clip, request.format ?? plain.format)) };
};

describe('a clip', () => {
  it.each([
    ['mp3', 1],
    ['wav', 1],
    ['opus', 1],
    ['ogg', 1],
    ['mp3', 0.5],
    ['opus', 1.25],
    ['wav', 2],
  ] as const)('in %s at speed %s is decoded to the length it states', async (format, speed) => {
    const { clip, samples, rate, stated } = await hear({ format, speed, text: both });
    expect(samples.length / rate).toBeCloseTo(clip.seconds, 3);
    expect(stated).toBeCloseTo(clip.seconds, 3);
    expect(loudness(samples)).toBeGreaterThan(0.03);
  });

  it('takes half as long at double speed and twice as long at half speed', async () => {
    const [normal, fast, slow] = await Promise.all([1, 2, 0.5].map((speed) => speak({ speed, text: both })));
    expect(normal!.seconds / fast!.seconds).toBeCloseTo(2, 2);
    expect(slow!.seconds / normal!.seconds).toBeCloseTo(2, 2);
  });

  it.each([
    ['mp3', 'audio/mpeg', '\xff\xf3'],
    ['wav', 'audio/wav', 'RIFF'],
    ['opus', 'audio/ogg', 'OggS'],
    ['ogg', 'audio/ogg', 'OggS'],
  ] as const)('in %s says what it is', async (format, type, start) => {
    const { contentType, bytes } = await speak({ format, text: both });
    expect(contentType).toBe(type);
    expect(Buffer.from(bytes.subarray(0, start.length)).toString('latin1')).toBe(start);
  });
});

describe('the length of speech', () => {
  it.each([english, chinese])('doubles with the text: %s', async (text) => {
    const [once, twice] = await Promise.all([text, `${text} ${text}`].map((each) => speak({ text: each })));
    expect(twice!.seconds / once!.seconds).toBeGreaterThan(1.9);
    expect(twice!.seconds / once!.seconds).toBeLessThan(2.25);
  });

  it('is that of words, not of the names of Chinese letters', async () => {
    const { clip } = await hear({ text: chinese });
    expect(clip.seconds).toBeGreaterThan(2.5);
    expect(clip.seconds).toBeLessThan(6);
  });

  it('does not obey markup in the text', async () => {
    const { clip } = await hear({ text: 'Wait <break time="60s"/> &lt;break time="60s"/> a <b> & c.' });
    expect(clip.seconds).toBeLessThan(15);
  });

  it.each(['', '😀', '。。。', '\u0000', '***'])('is short but not nothing for %j', async (text) => {
    const { clip, samples, rate } = await hear({ text, format: 'mp3', voice: 'zh_male_m191_uranus_bigtts' });
    expect(clip.seconds).toBeGreaterThan(0.2);
    expect(samples.length / rate).toBeCloseTo(clip.seconds, 3);
  });
});

describe('speech at another speed', () => {
  it.each([0.5, 2])('keeps its pitch at %s', async (speed) => {
    const [normal, changed] = [await hear({}), await hear({ speed })];
    expect(medianPitch(changed) / medianPitch(normal)).toBeGreaterThan(0.92);
    expect(medianPitch(changed) / medianPitch(normal)).toBeLessThan(1.08);
  });
});

describe('the voices', () => {
  it('are all different, and every man is lower than every woman', async () => {
    const heard = await Promise.all(knownVoices.map(({ id }) => hear({ voice: id, text: both })));
    const pitches = heard.map((sound, index) => ({ id: knownVoices[index]!.id, pitch: medianPitch(sound) }));
    const men = pitches.filter(({ id }) => id.includes('_male_')).map(({ pitch }) => pitch);
    const women = pitches
      .filter(({ id }) => id.includes('_female_') || id.includes('keainvsheng'))
      .map(({ pitch }) => pitch);
    expect(men.length + women.length).toBe(knownVoices.length);
    expect(Math.max(...men)).toBeLessThan(Math.min(...women));
    expect(new Set(heard.map(({ clip }) => Buffer.from(clip.bytes).toString('base64'))).size).toBe(
      knownVoices.length,
    );
  });

  it('take the same time for the same text every time', async () => {
    const first = await speak({ text: both });
    await studio.speak({ ...plain, text: '你好。', voice: 'zh_male_m191_uranus_bigtts' });
    expect((await studio.speak({ ...plain, text: both })).seconds).toBe(first.seconds);
  });

  it('read numbers in a language they support, else in their own', async () => {
    const text = '12345';
    const length = async (voice: string, language?: string) =>
      (await speak({ text, voice, ...(language && { language }) })).seconds;
    const bilingual = 'zh_female_vv_uranus_bigtts';
    expect(await length(bilingual, 'zh-CN')).toBe(await length(bilingual));
    expect(await length(bilingual, 'en-US')).not.toBe(await length(bilingual));
    expect(await length(bilingual, 'fr')).toBe(await length(bilingual));
    expect(await length('en_male_tim_uranus_bigtts', 'zh-CN')).toBe(
      await length('en_male_tim_uranus_bigtts'),
    );
  });

  it('that are not known are refused by name', async () => {
    await expect(studio.speak({ ...plain, voice: 'nobody' })).rejects.toThrow(/voice: 'nobody'/);
  });
});
