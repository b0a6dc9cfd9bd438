import assert from 'node:assert/strict';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import fc from 'fast-check';
import { mp3Seconds, oggSeconds } from '../../../src/credits/clip-length/clip-seconds.ts';
import { hasTooManyPixels, imageSize } from '../../../src/media/index.ts';
import { readRange } from '../../../src/platforms/console/routes/files.ts';
import { mediaType } from '../../../src/service/decode/media.ts';
import { blankPng, gif, heifHead, jpegHead } from '../../media/images.ts';
import { anyText, type Edge, edge } from '../edge.ts';

const drawn = (type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif') =>
  createCanvas(24, 16).toBuffer(type as 'image/png');

const wholes: readonly Uint8Array[] = [
  drawn('image/png'),
  drawn('image/jpeg'),
  drawn('image/webp'),
  drawn('image/avif'),
  blankPng(40, 30),
  gif([8, 8], [16, 12]),
  jpegHead(40, 30, 0xc2),
  heifHead('heic', 40, 30),
  Buffer.concat([
    Buffer.from('fffb9000', 'hex'),
    Buffer.alloc(32),
    Buffer.from('Info\0\0\0\x0f\0\0\x01\0'),
    Buffer.alloc(200),
  ]),
  Buffer.concat([
    Buffer.from('OggS'),
    Buffer.alloc(22),
    Buffer.from([1, 19]),
    Buffer.from('OpusHead\x01\x01'),
    Buffer.alloc(9),
  ]),
];

/** A file of one of these kinds, with bytes of it changed, put in, taken out, or its end missing. */
const broken = fc
  .tuple(
    fc.constantFrom(...wholes),
    fc.array(
      fc.tuple(
        fc.constantFrom('set', 'insert', 'cut', 'end'),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
      ),
      { maxLength: 6 },
    ),
  )
  .map(([whole, changes]) => {
    let bytes = Buffer.from(whole);
    for (const [how, where, data] of changes) {
      // Headers are where it matters.
      const at = Math.floor(where * where * bytes.length);
      if (how === 'set') bytes.set(data.subarray(0, bytes.length - at), at);
      if (how === 'insert') bytes = Buffer.concat([bytes.subarray(0, at), data, bytes.subarray(at)]);
      if (how === 'cut') bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + data.length)]);
      if (how === 'end') bytes = bytes.subarray(0, bytes.length - at);
    }
    return bytes;
  });

export const mediaHeaders = edge(
  'headers of media',
  fc.oneof(
    broken,
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  ),
  (bytes) => {
    mediaType(bytes);
    const size = imageSize(bytes);
    if (size) {
      assert.ok(Number.isSafeInteger(size.width) && size.width > 0);
      assert.ok(Number.isSafeInteger(size.height) && size.height > 0);
    }
    for (const seconds of [mp3Seconds(bytes), oggSeconds(bytes)]) {
      if (seconds !== undefined) assert.ok(seconds >= 0 && Number.isFinite(seconds), String(seconds));
    }
  },
);

/** What a decoder makes of an image may be smaller than its header says, never larger. */
export const decodedImages: Edge = {
  name: 'images, as their decoder sees them',
  open: async () => ({
    property: fc.asyncProperty(broken, async (bytes) => {
      const size = imageSize(bytes);
      if (!size || hasTooManyPixels(size) || size.width * size.height > 1_000_000) return;
      if (size.type === 'image/avif' || size.type === 'image/heic') return;
      const image = await loadImage(bytes).catch(() => undefined);
      if (image)
        assert.ok(image.width * image.height <= size.width * size.height, `${image.width}×${image.height}`);
    }),
  }),
};

export const ranges = edge(
  'ranges of a file',
  fc.tuple(
    fc.oneof(
      anyText,
      fc.tuple(anyText, fc.nat(), fc.nat()).map(([, from, to]) => `bytes=${from}-${to}`),
    ),
    fc.nat({ max: 1_000 }),
  ),
  ([header, size]) => {
    const range = readRange(header, size);
    if (typeof range === 'string') return;
    assert.ok(range.start >= 0 && range.start <= range.end && range.end < size, JSON.stringify(range));
  },
);
