import { BufferSource, EncodedPacketSink, Input, type InputTrack, MP4 } from 'mediabunny';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { UnreadableReference } from '../../../src/sandbox/media/sizes.ts';
import { MediaStudio, type VideoRequest } from '../../../src/sandbox/media/studio.ts';
import { Frames, renderVideo, tune } from '../../../src/sandbox/media/video/render-video.ts';
import { isLong } from '../../long-form.ts';

const studio = new MediaStudio();
afterAll(() => studio.close());
afterEach(() => vi.useRealTimers());

const plain: VideoRequest = {
  prompt: 'a boat at sunrise',
  seconds: 3,
  width: 160,
  height: 90,
  seed: 1,
  generateAudio: true,
};
/** In this thread, which has loaded what it needs. */
const film = (request: VideoRequest) => renderVideo(request, () => {});
/** A film that several tests look at, made on another thread, and what was told of its progress. */
const heard: number[] = [];
let made: ReturnType<typeof studio.film> | undefined;
const plainFilm = () => {
  made ??= studio.film(plain, (progress) => heard.push(progress));
  return made;
};
const open = (bytes: Uint8Array) => new Input({ source: new BufferSource(bytes), formats: [MP4] });

async function packets(track: InputTrack): Promise<string[]> {
  const found: string[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets())
    found.push(Buffer.from(data).toString('base64'));
  return found;
}

describe('a film', () => {
  it.each([
    [2, { width: 160, height: 90 }, true],
    [isLong ? 15 : 5, { width: 90, height: 160 }, false],
  ])('of %s seconds has exactly that length, size and tracks', async (seconds, pixels, generateAudio) => {
    const whole = open(await film({ ...plain, seconds, ...pixels, generateAudio }));
    const [picture, sound] = [await whole.getPrimaryVideoTrack(), await whole.getPrimaryAudioTrack()];
    expect(await whole.computeDuration()).toBe(seconds);
    expect(await picture?.computeDuration()).toBe(seconds);
    expect(picture).toMatchObject({ codec: 'avc', displayWidth: pixels.width, displayHeight: pixels.height });
    expect((await picture!.computePacketStats()).packetCount).toBe(seconds * 24);
    if (!generateAudio) return expect(sound).toBeNull();
    expect(sound).toMatchObject({ codec: 'mp3', sampleRate: 48_000, numberOfChannels: 2 });
    expect(await sound!.computeDuration()).toBeGreaterThan(seconds - 0.05);
  });

  it('has its index before its data, for streaming', async () => {
    const bytes = Buffer.from(await plainFilm());
    expect(bytes.indexOf('moov')).toBeGreaterThan(0);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
  });

  it('is the same file for the same request whenever and wherever it is made, and another for another seed', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 5, 6, 7, 8, 9) });
    const again = await film(plain);
    vi.useRealTimers();
    expect(Buffer.from(again).equals(await plainFilm())).toBe(true);
    const other = await film({ ...plain, seed: 2 });
    for (const track of ['getPrimaryVideoTrack', 'getPrimaryAudioTrack'] as const)
      expect(await packets((await open(other)[track]())!)).not.toEqual(
        await packets((await open(again)[track]())!),
      );
  });

  it('tells how far it is', async () => {
    await plainFilm();
    expect(heard[0]).toBe(0);
    expect(heard.at(-1)).toBe(1);
    expect(heard.length).toBeGreaterThan(10);
    expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  });

  it('names addresses without fetching them and refuses data URLs without a picture', async () => {
    const named = { ...plain, seconds: 1, references: ['https://nowhere.invalid/a.mp4'] };
    await expect(film(named)).resolves.toBeInstanceOf(Uint8Array);
    await expect(studio.film({ ...plain, references: ['data:image/png;base64,AA'] })).rejects.toThrow(
      UnreadableReference,
    );
  });
});

describe('frames', () => {
  const scene = { prompt: 'rain over the city', seed: 5, width: 160, height: 90, seconds: 5, references: [] };
  const changed = (a: Uint8ClampedArray, b: Uint8ClampedArray) =>
    a.reduce((count, value, index) => count + (Math.abs(value - b[index]!) > 12 ? 1 : 0), 0) / a.length;

  it.each(['rain over the city', 'snowy mountains', 'sea', 'abcdef', 'space', 'fish', 'meadow'])(
    'of %s move',
    (prompt) => {
      const frames = new Frames({ ...scene, prompt });
      const [first, second, last] = [0, 1, 5].map((seconds) => frames.at(seconds));
      expect(changed(first!, second!)).toBeGreaterThan(0.01);
      expect(changed(first!, last!)).toBeGreaterThan(0.02);
    },
  );

  it('depend on prompt and seed alone', () => {
    const at2 = (seed: number) => new Frames({ ...scene, seed }).at(2);
    expect(changed(at2(5), at2(5))).toBe(0);
    expect(changed(at2(5), at2(6))).toBeGreaterThan(0.2);
  });

  it('are filled to the edge at every moment', () => {
    const frames = new Frames({ ...scene, prompt: 'sea' });
    for (const seconds of [0, 2.5, 5])
      expect(frames.at(seconds).every((value, index) => index % 4 !== 3 || value === 255)).toBe(true);
  });
});

describe('the tune', () => {
  it('is as long as asked, to be heard, and never too loud', () => {
    const samples = tune('1:x', 5);
    const peak = samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
    expect(samples.length).toBe(2 * 5 * 48_000);
    expect(peak).toBeGreaterThan(0.1);
    expect(peak).toBeLessThan(1);
  });

  it('is another for another seed', () => {
    expect(tune('1:x', 1)).toEqual(tune('1:x', 1));
    expect(tune('2:x', 1)).not.toEqual(tune('1:x', 1));
  });
});
