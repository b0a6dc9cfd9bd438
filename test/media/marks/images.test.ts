import { createCanvas, loadImage } from '@napi-rs/canvas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marked, markedBytes } from '../../../src/media/index.ts';
import { gif, heifHead } from '../images.ts';
import { jpegSegment, packetOf, pngChunk, withAfter, withRiffChunk } from './parts.ts';
import { madeByModel, metadataOf, sourceTypeOf } from './read.ts';

const sides = [48, 32] as const;

function painted(isOpaque: boolean) {
  const canvas = createCanvas(...sides);
  const context = canvas.getContext('2d');
  context.fillStyle = '#f80';
  context.fillRect(4, 4, 20, 20);
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#08f';
  if (isOpaque) context.fillRect(0, 0, ...sides);
  return canvas;
}

const images = {
  PNG: await painted(false).encode('png'),
  JPEG: await painted(true).encode('jpeg'),
  'WebP of pixels only': await painted(true).encode('webp', 80),
  'lossless WebP': await painted(false).encode('webp', 100),
  'WebP with transparency': await painted(false).encode('webp', 80),
};
const { PNG: png, JPEG: jpeg } = images;
const each = Object.entries(images);

async function pixelsOf(bytes: Uint8Array): Promise<Uint8ClampedArray> {
  const canvas = createCanvas(...sides);
  canvas.getContext('2d').drawImage(await loadImage(bytes), 0, 0);
  return canvas.getContext('2d').getImageData(0, 0, ...sides).data;
}

describe('an image', () => {
  it.each(each)('as %s gets a mark of under a kilobyte, once, and looks the same', async (_, image) => {
    expect(await sourceTypeOf(image)).toBeUndefined();
    const made = await markedBytes(image);
    expect(await sourceTypeOf(made)).toBe(madeByModel);
    expect(made.length - image.length).toBeLessThan(1_024);
    expect(await pixelsOf(made)).toEqual(await pixelsOf(image));
    expect(await markedBytes(made)).toBe(made);
  });

  it('as GIF gets a mark that others pass over', async () => {
    const image = gif([10, 10], [10, 10]);
    const made = Buffer.from(await markedBytes(image));
    expect(made.includes(madeByModel)).toBe(true);
    // After the colours, as blocks whose lengths lead to the comment that stood there.
    let at = 19 + 14;
    for (let block = made.readUInt8(at); block > 0; block = made.readUInt8(at)) at += 1 + block;
    expect(made.subarray(at + 1)).toEqual(image.subarray(19));
    expect(await markedBytes(made)).toBe(made);
  });

  it.each(each)('as %s is marked alike in pieces of any size', async (_, image) => {
    const whole = Buffer.from(await markedBytes(image));
    for (const size of [1, 7, 100]) {
      const made: Buffer[] = [];
      for await (const piece of marked(piecesOf(image, size))) made.push(piece);
      expect(Buffer.concat(made)).toEqual(whole);
    }
  });

  const own = packetOf('<dc:title>A lighthouse</dc:title>', 'uuid:1');
  it.each([
    ['PNG', pngXmp(own)],
    ['JPEG', jpegXmp(own)],
    ['WebP', webpXmp(own)],
  ])('as %s keeps the XMP that it has', async (_, image) => {
    expect(await metadataOf(image)).toMatchObject({ title: 'A lighthouse' });
    const made = Buffer.from(await markedBytes(image));
    expect(await metadataOf(made)).toMatchObject({ title: 'A lighthouse', DigitalSourceType: madeByModel });
    expect(made.toString('latin1').match(/<x:xmpmeta/g)).toHaveLength(1);
    expect(made.toString('latin1').match(/rdf:about='uuid:1'/g)).toHaveLength(2);
    expect(await pixelsOf(made)).toEqual(await pixelsOf(image));
  });

  const stating = packetOf(
    '<Iptc4xmpExt:DigitalSourceType>compositeSynthetic</Iptc4xmpExt:DigitalSourceType>',
  );
  it.each([
    ['PNG', pngXmp(stating)],
    [
      'PNG, compressed',
      withAfter(png, 33, pngChunk('iTXt', Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0packed'))),
    ],
    ['JPEG', jpegXmp(stating)],
    ['WebP', webpXmp(stating)],
  ])('as %s that states its source stays as it is', async (_, image) => {
    expect(await markedBytes(image)).toBe(image);
  });

  const manifest = (text: string) => Buffer.from(`\0\0\x01\0jumb\0\0\0\x20jumdc2pa\0..${text}..`);
  const boxHead = (count: number) => Buffer.from([0x4a, 0x50, 0, 1, 0, 0, 0, count]);
  /** One box in two segments: the second one repeats the box's head. */
  const inTwo = (box: Buffer) => {
    const parts = [box.subarray(0, 40), Buffer.concat([box.subarray(0, 8), box.subarray(40)])];
    return Buffer.concat(
      parts.map((part, index) => jpegSegment(0xeb, Buffer.concat([boxHead(index + 1), part]))),
    );
  };
  const signed = (text: string) =>
    [
      ['PNG', withAfter(png, 33, pngChunk('caBX', manifest(text)))],
      ['JPEG', withAfter(jpeg, 2, inTwo(manifest(text)))],
      ['WebP', withRiffChunk(images['WebP with transparency'], 'C2PA', manifest(text))],
    ] as const;

  it.each(signed(madeByModel))(
    'as %s whose signed manifest says it stays as it was signed',
    async (_, image) => {
      expect(await markedBytes(image)).toBe(image);
    },
  );

  it.each(signed('digitalCapture'))(
    'as %s whose manifest doesn’t say it gets the mark beside that',
    async (_, image) => {
      const made = Buffer.from(await markedBytes(image));
      expect(await sourceTypeOf(made)).toBe(madeByModel);
      expect(made.includes('digitalCapture')).toBe(true);
    },
  );

  it.each(each)('as %s that ends too early stays as it is, or has all that was there', async (_, image) => {
    for (let length = 0; length < image.length; length += 1) {
      const cut = image.subarray(0, length);
      const made = Buffer.from(await markedBytes(cut));
      if (made.length !== cut.length) expect(image.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
      expect(made.subarray(made.length - 8).equals(cut.subarray(cut.length - 8))).toBe(true);
    }
  });

  it('that is corrupt is never lost', async () => {
    const image = fc.constantFrom(...Object.values(images), gif([10, 10], [10, 10]));
    const change = fc.tuple(fc.nat(), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(image, fc.array(change, { minLength: 1, maxLength: 4 }), async (file, changes) => {
        const corrupt = Buffer.from(file);
        for (const [at, value] of changes) corrupt[at % corrupt.length] = value;
        const made = await markedBytes(corrupt);
        expect(made.length).toBeGreaterThanOrEqual(corrupt.length);
        expect(made.length).toBeLessThan(corrupt.length + 1_024);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['words', Buffer.from('This is no image at all.')],
    ['nothing', Buffer.alloc(0)],
    ['a WebM', Buffer.from('\x1a\x45\xdf\xa3 and more of it', 'latin1')],
    ['a FLAC', Buffer.from('fLaC and more of it than that')],
    [
      'an old GIF',
      Buffer.from('GIF87a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x4c\x01\0;', 'latin1'),
    ],
  ])('%s stays what it is', async (_, bytes) => {
    expect(await markedBytes(bytes)).toBe(bytes);
  });

  it('as AVIF gets a mark at its end', async () => {
    expect(await sourceTypeOf(await markedBytes(heifHead('avif', 640, 480)))).toBe(madeByModel);
  });
});

function pngXmp(packet: Buffer): Buffer {
  const text = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), packet]);
  return withAfter(png, 33, pngChunk('iTXt', text));
}

function jpegXmp(packet: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), packet]);
  return withAfter(jpeg, 2, jpegSegment(0xe1, data));
}

/** The head of one with transparency has room for flags. */
function webpXmp(packet: Buffer): Buffer {
  return withRiffChunk(images['WebP with transparency'], 'XMP ', packet);
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
