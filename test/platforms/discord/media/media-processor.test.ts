import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { MediaProcessor } from '../../../../src/platforms/discord/media/upload-limits.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { blankPng, gif, jpegHead } from '../../../media/images.ts';

const mebibyte = 1024 ** 2;
const media = new MediaProcessor({ clock: systemClock, log: { warn: () => {} } });
const shrink = (bytes: Uint8Array, limit = 10 * mebibyte) => media.shrinkImage(async () => bytes, limit);

/** An Ogg page with packets of one byte, each of which Opus takes for a sixth of a second of sound. */
function oggPage(
  sequence: number,
  segments: Buffer,
  content: Buffer,
  granule: bigint,
  flags: number,
): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS', 'latin1');
  head[5] = flags;
  head.writeBigUInt64LE(granule, 6);
  head.writeUInt32LE(1, 14);
  head.writeUInt32LE(sequence, 18);
  head[26] = segments.length;
  const page = Buffer.concat([head, segments, content]);
  page.writeUInt32LE(oggChecksum(page), 22);
  return page;
}

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

function oggChecksum(page: Buffer): number {
  let sum = 0;
  for (const byte of page) sum = ((sum << 8) ^ table[((sum >>> 24) ^ byte) & 0xff]!) >>> 0;
  return sum;
}

function hostileClip(pages: number): Buffer {
  const head = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1');
  const tags = Buffer.from('OpusTags\0\0\0\0\0\0\0\0', 'latin1');
  const packets = Buffer.alloc(255, 0x18);
  const ones = Buffer.alloc(255, 1);
  return Buffer.concat([
    oggPage(0, Buffer.from([head.length]), head, 0n, 2),
    oggPage(1, Buffer.from([tags.length]), tags, 0n, 0),
    ...Array.from({ length: pages }, (_, page) =>
      oggPage(page + 2, ones, packets, BigInt((page + 1) * 255 * 2_880), page === pages - 1 ? 4 : 0),
    ),
  ]);
}

describe('an image that is to be re-encoded', () => {
  it.each([
    ['a PNG of 31 KB with 256 megapixels', blankPng(16_000, 16_000)],
    ['a PNG with 2 gigapixels', blankPng(65_000, 32_000)],
    ['a GIF with 3 gigapixels', gif([1, 1], [60_000, 50_000])],
    ['a JPEG with 192 megapixels', jpegHead(16_000, 12_000, 0xc2)],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"/>')],
  ])('is not decoded where it is %s', async (_, bomb) => {
    const before = process.memoryUsage.rss();
    expect(await shrink(bomb)).toBeUndefined();
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * mebibyte);
  });

  it('has at most the pixels of the service’s largest image, and those a WebP can have', async () => {
    for (const [width, height] of [
      [5_000, 5_000],
      [40_000, 500],
      [500, 40_000],
    ] as const) {
      const made = await shrink(blankPng(width, height));
      const image = await loadImage(made!.bytes);
      expect(image.width * image.height).toBeLessThanOrEqual(2 ** 24 + 4_096);
      expect(Math.max(image.width, image.height)).toBeLessThanOrEqual(16_383);
      expect(image.width / image.height).toBeCloseTo(width / height, 0);
    }
  });

  it('is read only when its turn comes', async () => {
    const png = createCanvas(100, 100).toBuffer('image/png');
    const one = new MediaProcessor({ clock: systemClock, log: { warn: () => {} }, limit: 1 });
    let read = 0;
    const work = Array.from({ length: 3 }, () =>
      one.shrinkImage(async () => {
        read += 1;
        return png;
      }, mebibyte),
    );
    await expect.poll(() => read).toBe(1);
    await work[0];
    expect(read).toBeLessThan(3);
    expect((await Promise.all(work)).map((made) => made?.contentType)).toEqual(Array(3).fill('image/webp'));
    expect(read).toBe(3);
  });
});

describe('a voice clip', () => {
  it('that would take hours to decode is given up after thirty seconds, and logged', async () => {
    const clock = new FakeClock();
    const lines: unknown[] = [];
    const patient = new MediaProcessor({
      clock,
      log: { warn: (...line: unknown[]) => void lines.push(line) },
    });
    const shape = patient.voiceMetadata(hostileClip(40_000));
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(30_000);
    expect(await shape).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(await media.voiceMetadata(hostileClip(1))).toMatchObject({ seconds: expect.any(Number) });
  });
});
