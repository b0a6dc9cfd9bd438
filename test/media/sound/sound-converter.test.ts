import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { SoundConverter } from '../../../src/media/index.ts';
import type { Clip } from '../../../src/sandbox/media/studio.ts';
import { sampleStudio } from '../../e2e/support/sample-studio.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { isLong } from '../../long-form.ts';
import { decode, loudness } from '../../sandbox/media/decode.ts';

const voice = 'en_male_tim_uranus_bigtts';
const lines: unknown[] = [];
const log = { warn: (...line: unknown[]) => void lines.push(line) };
const sounds = new SoundConverter({ clock: systemClock, log });
const clips = new Map<string, Clip>();
const formats = ['wav', 'mp3', 'vorbis', 'opus'] as const;

beforeAll(async () => {
  for (const format of formats)
    clips.set(format, await sampleStudio.speak({ text: 'Good morning.', voice, format, speed: 1 }));
});

async function codecOf(bytes: Uint8Array): Promise<unknown> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  return [(await input.getFormat()).mimeType, (await input.getPrimaryAudioTrack())?.codec];
}

describe('a clip', () => {
  it.each(
    formats
      .flatMap((from) => [
        [from, 'opus', ['application/ogg', 'opus']] as const,
        [from, 'mp3', ['audio/mpeg', 'mp3']] as const,
        [from, 'wav', ['audio/wav', 'pcm-s16']] as const,
      ])
      // Each format from one and to one, and each into opus.
      .filter(([from, to]) => isLong || to === 'opus' || (from === 'opus' ? to === 'mp3' : from === 'mp3')),
  )('in %s becomes %s of the same length and loudness', async (from, to, codec) => {
    const clip = clips.get(from)!;
    const made = await sounds.convert(clip.bytes, to);
    expect(made?.format).toBe(to);
    expect(await codecOf(made!.bytes)).toEqual(codec);
    const input = new Input({ source: new BufferSource(made!.bytes), formats: ALL_FORMATS });
    expect(Math.abs((await input.computeDuration()) - clip.seconds)).toBeLessThan(0.1);
    if (to === 'mp3') return;
    const [before, after] = [
      await decode(clip, from),
      await decode({ ...clip, bytes: new Uint8Array(made!.bytes) }, to),
    ];
    expect(loudness(after.samples) / loudness(before.samples)).toBeCloseTo(1, 1);
  });

  it.each([
    ['words', Buffer.from('This is no sound at all.')],
    ['nothing', new Uint8Array()],
    ['a WAV without sound', Buffer.from('RIFF....WAVE')],
    ['half a head', Buffer.from('OggS\0\x02')],
    ['more than is worked on', Buffer.alloc(64 * 2 ** 20 + 1)],
  ])('of %s stays what it is', async (_, bytes) => {
    expect(await sounds.convert(bytes, 'opus')).toBeUndefined();
  });

  it('that takes over thirty seconds is given up, and logged', async () => {
    const clock = new FakeClock();
    lines.length = 0;
    const converted = new SoundConverter({ clock, log }).convert(clips.get('wav')!.bytes, 'opus');
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(30_000);
    expect(await converted).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('RIFF');
  });

  it('waits while two others are converted, whoever wants them', async () => {
    const clock = new FakeClock();
    const wanted = [1, 2].flatMap(() => {
      const converter = new SoundConverter({ clock, log });
      return [1, 2].map(() => converter.convert(clips.get('wav')!.bytes, 'opus'));
    });
    // Each that's begun may take so long.
    expect(clock.pending).toBe(2);
    for (const made of await Promise.all(wanted)) expect(made?.format).toBe('opus');
  });
});
