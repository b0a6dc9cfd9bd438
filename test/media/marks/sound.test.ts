import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { markedBytes, runInWorker, SoundConverter } from '../../../src/media/index.ts';
import { sampleStudio } from '../../e2e/support/sample-studio.ts';
import { withAfter, withRiffChunk } from './parts.ts';
import { madeByModel, metadataOf, sourceTypeOf } from './read.ts';

const speak = async (format: 'wav' | 'mp3' | 'vorbis' | 'opus') =>
  Buffer.from(
    (
      await sampleStudio.speak({
        text: 'Good morning.',
        voice: 'en_male_tim_uranus_bigtts',
        format,
        speed: 1,
      })
    ).bytes,
  );
const clips = {
  WAV: await speak('wav'),
  MP3: await speak('mp3'),
  Vorbis: await speak('vorbis'),
  Opus: await speak('opus'),
};
const { WAV: wav, MP3: mp3, Opus: opus, Vorbis: vorbis } = clips;
const each = Object.entries(clips);

/** Length and packets of a clip, as a player reads them. */
async function playedOf(bytes: Uint8Array): Promise<unknown> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  const packets: string[] = [];
  if (track)
    for await (const { data } of new EncodedPacketSink(track).packets())
      packets.push(Buffer.from(data).toString('base64'));
  return { seconds: await input.computeDuration(), packets };
}

describe('a clip', () => {
  it.each(each)('as %s gets a mark of under a kilobyte, once, and plays as it did', async (_, clip) => {
    const played = (await playedOf(clip)) as { packets: string[] };
    expect(played.packets.length).toBeGreaterThan(0);
    expect(await sourceTypeOf(clip)).toBeUndefined();
    const made = await markedBytes(clip);
    expect(await sourceTypeOf(made)).toBe(madeByModel);
    expect(made.length - clip.length).toBeLessThan(1_024);
    expect(await playedOf(made)).toEqual(played);
    expect(await markedBytes(made)).toBe(made);
  });

  it('as voice message has the length and waveform that it had', async () => {
    const script = new URL('../../../src/platforms/discord/media/voice-metadata.ts', import.meta.url);
    const about = (bytes: Uint8Array) => runInWorker(script, { bytes });
    expect(await about(await markedBytes(opus))).toEqual(await about(opus));
  });

  const album = Buffer.from('TALB\0\0\0\x06\0\0\0Tides', 'latin1');
  const tag = (version: number, flags = 0) =>
    Buffer.concat([
      Buffer.from(
        `ID3${String.fromCodePoint(version, 0, flags)}\0\0\0${String.fromCodePoint(album.length + 20)}`,
        'latin1',
      ),
      album,
      Buffer.alloc(20),
    ]);
  it.each([3, 4])('as MP3 keeps its tags of version 2.%i', async (version) => {
    const made = await markedBytes(Buffer.concat([tag(version), mp3]));
    expect(await metadataOf(made)).toMatchObject({ TALB: 'Tides', DigitalSourceType: madeByModel });
    expect(await playedOf(made)).toEqual(await playedOf(mp3));
  });

  it.each([
    ['older tags', Buffer.concat([tag(2), mp3])],
    ['tags in another form', Buffer.concat([tag(3, 0x80), mp3])],
    ['tags that end too early', tag(3).subarray(0, 30)],
  ])('as MP3 with %s stays as it is', async (_, clip) => {
    expect(await markedBytes(clip)).toBe(clip);
  });

  it.each([
    ['Opus', opus],
    ['Vorbis', vorbis],
  ])('as %s keeps its comments', async (_, clip) => {
    const { vendor } = (await metadataOf(clip)) as { vendor: string };
    expect(vendor).not.toBe('');
    expect(await metadataOf(await markedBytes(clip))).toMatchObject({
      vendor,
      DIGITALSOURCETYPE: madeByModel,
    });
  });

  const facts = (...types: readonly string[]) =>
    Buffer.concat([
      Buffer.from(`LIST${String.fromCodePoint(4 + 14 * types.length)}\0\0\0INFO`),
      ...types.map((type) => Buffer.from(`${type}\x06\0\0\0Tides\0`)),
    ]);
  const withFacts = (...types: readonly string[]) =>
    sized(withAfter(wav, wav.indexOf('data'), facts(...types)));
  it.each([[['INAM']], [['ICMT', 'INAM']]])('as WAV keeps its facts %j', async (types) => {
    const clip = withFacts(...types);
    const made = await markedBytes(clip);
    expect(await sourceTypeOf(made)).toBe(madeByModel);
    expect(await metadataOf(made)).toMatchObject(Object.fromEntries(types.map((type) => [type, 'Tides'])));
    expect(await playedOf(made)).toEqual(await playedOf(wav));
    expect(Buffer.from(made).readUInt32LE(4)).toBe(made.length - 8);
  });

  it('as WAV that was written as it was made keeps the size that it states', async () => {
    const clip = Buffer.from(wav);
    clip.writeUInt32LE(0xffff_ffff, 4);
    const made = Buffer.from(await markedBytes(clip));
    expect(made.readUInt32LE(4)).toBe(0xffff_ffff);
    expect(await sourceTypeOf(made)).toBe(madeByModel);
  });

  it('whose signed manifest says it stays as it is', async () => {
    const clip = withRiffChunk(wav, 'C2PA', Buffer.from(`jumbc2pa ${madeByModel}`));
    expect(await markedBytes(clip)).toBe(clip);
  });

  it.each([
    ['WAV', wav, 40],
    ['Opus', opus, 60],
    ['Vorbis', vorbis, 90],
  ])('as %s that ends in its head stays as it is', async (_, clip, head) => {
    for (let length = 0; length < head; length += 1) {
      const cut = clip.subarray(0, length);
      expect(await markedBytes(cut)).toBe(cut);
    }
  });

  it.each([
    ['AAC', 0xf1],
    ['another AAC', 0xf9],
  ])('as %s stays as it is', async (_, second) => {
    const clip = Buffer.concat([Buffer.from([0xff, second]), Buffer.alloc(100)]);
    expect(await markedBytes(clip)).toBe(clip);
  });

  it('is marked anew where it’s converted', async () => {
    const sounds = new SoundConverter({ log: { warn: () => {} } });
    for (const to of ['opus', 'mp3', 'wav'] as const) {
      const made = await sounds.convert(wav, to);
      expect(await sourceTypeOf(made?.bytes ?? wav)).toBe(madeByModel);
    }
  });
});

function sized(file: Buffer): Buffer {
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}
