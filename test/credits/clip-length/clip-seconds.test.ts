import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mp3Seconds, oggSeconds, wavSeconds } from '../../../src/credits/clip-length/clip-seconds.ts';
import { clipSeconds } from '../../../src/credits/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';
import { speech } from '../../../src/service-rules/limits.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { isLong } from '../../long-form.ts';

const clips = [
  ['Hi.', 1],
  ['Good morning! This one is a little longer.', 1.37],
  ...(isLong
    ? ([
        ['Hi.', 1.37],
        ['你好，很高兴认识你。今天的天气真不错。', 1],
        ['On and on it goes. '.repeat(6), 1.37],
      ] as const)
    : []),
] as const;

let studio: MediaStudio;
beforeAll(() => {
  studio = new MediaStudio();
});
afterAll(() => studio.close());

describe('the length of a clip', () => {
  it.each(speech.formats)(
    'is read from %s to the sample, whatever silence its encoder added',
    async (format) => {
      for (const [text, speed] of clips) {
        const clip = await studio.speak({ text, voice: 'zh_female_vv_uranus_bigtts', format, speed });
        const seconds = await clipSeconds(clip.bytes, systemClock);
        expect(Math.abs((seconds ?? 0) - clip.seconds)).toBeLessThan(0.0005);
        expect(Math.ceil(seconds ?? 0)).toBe(Math.ceil(clip.seconds));
      }
    },
  );

  it('that would take long to count is counted elsewhere, and let go after thirty seconds', async () => {
    const frame = Buffer.alloc(24);
    frame.writeUInt32BE(0xfff310c0);
    const clock = new FakeClock();
    const seconds = clipSeconds(Buffer.alloc(24 * 3_000_000, frame), clock);
    expect(clock.pending).toBe(1);
    await clock.advance(30_000);
    expect(await seconds).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('is read from Ogg as a container reader reads it, and from nothing that only looks like it', async () => {
    const voice = 'en_male_tim_uranus_bigtts';
    const { bytes } = await studio.speak({ text: 'Good morning!', voice, format: 'ogg', speed: 1 });
    const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    expect(oggSeconds(bytes)).toBeCloseTo(await input.computeDuration(), 4);
    for (const end of [0, 4, 27, 40, 100, bytes.length - 1]) {
      expect(oggSeconds(bytes.subarray(0, end))).toBeUndefined();
    }
    expect(oggSeconds(Buffer.alloc(1_000_000, 'OggS'))).toBeUndefined();
    expect(oggSeconds(Buffer.concat([bytes, Buffer.from('more')]))).toBeUndefined();
  });

  it('is not believed where its count is longer than so few bytes can sound', async () => {
    const voice = 'en_male_tim_uranus_bigtts';
    const ogg = Buffer.from((await studio.speak({ text: 'Hi.', voice, format: 'ogg', speed: 1 })).bytes);
    ogg.writeBigInt64LE(2n ** 62n, ogg.lastIndexOf('OggS') + 6);
    expect(oggSeconds(ogg)).toBeGreaterThan(1e12);
    expect(await clipSeconds(ogg, systemClock)).toBeUndefined();
    const mp3 = Buffer.from((await studio.speak({ text: 'Hi.', voice, format: 'mp3', speed: 1 })).bytes);
    const count = Math.max(mp3.indexOf('Info'), mp3.indexOf('Xing')) + 8;
    mp3.writeUInt32BE(0xffff_ffff, count);
    expect(mp3Seconds(mp3)).toBeGreaterThan(1e7);
    expect(await clipSeconds(mp3, systemClock)).toBeUndefined();
  });

  it('is counted where a streamed MP3 has room for its count that was never filled in', async () => {
    const voice = 'en_male_tim_uranus_bigtts';
    const clip = await studio.speak({ text: 'Good morning!', voice, format: 'mp3', speed: 1 });
    const mp3 = Buffer.from(clip.bytes);
    mp3.writeUInt32BE(0, Math.max(mp3.indexOf('Info'), mp3.indexOf('Xing')) + 8);
    expect(await clipSeconds(mp3, systemClock)).toBeCloseTo(clip.seconds, 0);
  });

  it('is not made up where there is none', async () => {
    expect(await clipSeconds(new Uint8Array(), systemClock)).toBeUndefined();
    expect(
      await clipSeconds(Buffer.from('this is no sound at all, only a sentence about it'), systemClock),
    ).toBeUndefined();
    expect(await clipSeconds(new Uint8Array(4_096).fill(0xff), systemClock)).toBeUndefined();
  });
});

describe('an MP3 that counts its frames', () => {
  /** MPEG-1 layer III, 44.1 kHz, stereo, with the count `Info` and, where given, an encoder's tag. */
  const counted = (frames: number, silence?: { before: number; after: number }) => {
    const bytes = new Uint8Array(400);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0xfffb9000);
    bytes.set(Buffer.from('Info'), 36);
    view.setUint32(40, 1);
    view.setUint32(44, frames);
    if (silence) {
      bytes.set(Buffer.from('LAME3.100'), 48);
      const both = (silence.before << 12) | silence.after;
      bytes.set([both >>> 16, (both >>> 8) & 0xff, both & 0xff], 48 + 21);
    }
    return bytes;
  };

  it('is as long as they are, less the silence its encoder says it added', () => {
    expect(mp3Seconds(counted(100))).toBeCloseTo((100 * 1_152) / 44_100, 6);
    expect(mp3Seconds(counted(100, { before: 576, after: 1_000 }))).toBeCloseTo(
      (115_200 - 1_576) / 44_100,
      6,
    );
  });

  it('is found behind a title', () => {
    const title = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, 0, 0, 1, 0, ...new Uint8Array(128)]);
    expect(mp3Seconds(Buffer.concat([title, counted(10)]))).toBeCloseTo(11_520 / 44_100, 6);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['a frame cut off', counted(5).subarray(0, 40)],
    ['a frame that counts nothing', Uint8Array.from(counted(5), (byte, at) => (at === 43 ? 0 : byte))],
    ['another format', Buffer.from('OggS and so on')],
  ])('is not read from %s', (_, bytes) => expect(mp3Seconds(bytes)).toBeUndefined());
});

describe('a WAV', () => {
  /** One channel of 16 bits at 8 kHz; `before` stands between its format and its sound. */
  const wav = (sound: number, before = Buffer.alloc(0)) => {
    const format = Buffer.alloc(24);
    format.write('fmt ');
    for (const [at, value] of [
      [4, 16],
      [8, 0x1_0001],
      [12, 8_000],
      [16, 16_000],
      [20, 0x10_0002],
    ] as const)
      format.writeUInt32LE(value, at);
    const data = Buffer.alloc(8 + sound);
    data.write('data');
    data.writeUInt32LE(sound, 4);
    const head = Buffer.from('RIFF....WAVE');
    head.writeUInt32LE(4 + format.length + before.length + data.length, 4);
    return Buffer.concat([head, format, before, data]);
  };
  const note = Buffer.from('note\u0003\0\0\0abc\0', 'latin1');
  const samples = 12_345;

  it.each([
    ['as it is', wav(2 * samples)],
    ['with a note before its sound', wav(2 * samples, note)],
    ['with a note behind its sound', Buffer.concat([wav(2 * samples), note])],
  ])('%s is as long as a container reader finds it', async (_, bytes) => {
    const input = new Input({ source: new BufferSource(new Uint8Array(bytes)), formats: ALL_FORMATS });
    expect(wavSeconds(bytes)).toBe(samples / 8_000);
    expect(await input.computeDuration()).toBeCloseTo(samples / 8_000, 6);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['a head alone', wav(100).subarray(0, 40)],
    ['one that is cut off', wav(100).subarray(0, -1)],
    ['one without sound', wav(0)],
    ['sound without a format', Buffer.concat([wav(0).subarray(0, 12), wav(100).subarray(36)])],
    ['another format', Buffer.from('OggS and so on, for long enough to be a WAV')],
  ])('is not read from %s', (_, bytes) => expect(wavSeconds(bytes)).toBeUndefined());

  it('of empty chunks, which may be millions, is measured on another thread', async () => {
    const bytes = wav(2 * samples, Buffer.from('note\0\0\0\0'.repeat(1_000)));
    expect(wavSeconds(bytes)).toBeUndefined();
    expect(await clipSeconds(bytes)).toBeCloseTo(samples / 8_000, 3);
  });

  it('that was streamed, with sizes never filled in, is still measured', async () => {
    const streamed = wav(2 * samples);
    streamed.writeUInt32LE(0xffff_ffff, 4);
    streamed.writeUInt32LE(0xffff_ffff, 40);
    expect(wavSeconds(streamed)).toBeUndefined();
    expect(await clipSeconds(streamed, systemClock)).toBeCloseTo(samples / 8_000, 3);
  });

  it.each([0, 8, 36])(
    'that was streamed, with no sound yet and %i bytes in its sizes, is too',
    async (size) => {
      const streamed = wav(2 * samples);
      streamed.writeUInt32LE(size, 4);
      streamed.writeUInt32LE(0, 40);
      expect(await clipSeconds(streamed, systemClock)).toBeCloseTo(samples / 8_000, 3);
    },
  );

  it('without sound has none, whatever stands behind', async () => {
    expect(await clipSeconds(wav(0), systemClock)).toBe(0);
    const noted = Buffer.concat([wav(0), note]);
    noted.writeUInt32LE(noted.length - 8, 4);
    expect(await clipSeconds(noted, systemClock)).toBe(0);
  });
});
