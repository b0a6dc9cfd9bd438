import { deflateSync } from 'node:zlib';
import { box, pngChunk } from './marks/parts.ts';

/** A PNG of one colour and one bit a pixel: some kilobytes, whatever its size. */
export function blankPng(width: number, height: number): Buffer {
  return greyPng(width, height, 1, Buffer.alloc(height * (Math.ceil(width / 8) + 1)));
}

/** A PNG of greys of so many bits a pixel; each row begins with the number of its filter. */
export function greyPng(width: number, height: number, bits: 1 | 8, rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = bits;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(rows, { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A GIF with a small screen and a first picture of another size. */
export function gif(screen: readonly [number, number], picture: readonly [number, number]): Buffer {
  const head = Buffer.alloc(13);
  head.write('GIF89a', 'latin1');
  head.writeUInt16LE(screen[0], 6);
  head.writeUInt16LE(screen[1], 8);
  head[10] = 0x80;
  const comment = Buffer.from('\x21\xfe\x05hello\x00', 'latin1');
  const frame = Buffer.alloc(10);
  frame[0] = 0x2c;
  frame.writeUInt16LE(picture[0], 5);
  frame.writeUInt16LE(picture[1], 7);
  return Buffer.concat([head, Buffer.alloc(6), comment, frame, Buffer.from([2, 2, 0x4c, 1, 0, 0x3b])]);
}

/** The beginning of a JPEG: a preview of a camera in its EXIF data, then the frame with this marker. */
export function jpegHead(width: number, height: number, marker: number): Buffer {
  const preview = Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 120, 0, 160, 1, 1, 0x11, 0]);
  const exif = Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 2 + 6 + preview.length]),
    Buffer.from('Exif\0\0'),
    preview,
  ]);
  const tables = Buffer.from([0xff, 0xc4, 0, 4, 0, 0]);
  const frame = Buffer.from([0xff, 0xff, marker, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 6);
  frame.writeUInt16BE(width, 8);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), exif, tables, frame]);
}

/**
 * A JPEG that decodes as it did, and that shows 10 × 10 pixels to a reader who takes the marker put before all others
 * for one with a length: decoders pass over it.
 */
export function lyingJpeg(image: Buffer, marker: number): Buffer {
  const file = Buffer.concat([image.subarray(0, 2), Buffer.from([0xff, marker]), image.subarray(2)]);
  const length = file.readUInt16BE(4);
  const decoy = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 10, 0, 10, 1, 1, 0x11, 0]);
  return Buffer.concat([file, Buffer.alloc(Math.max(0, 4 + length - file.length)), decoy]);
}

/** The beginning of an AVIF or HEIC: a tile and the whole image it belongs to. */
export function heifHead(brand: string, width: number, height: number): Buffer {
  const ispe = (one: number, other: number) => {
    const size = Buffer.alloc(12);
    size.writeUInt32BE(one, 4);
    size.writeUInt32BE(other, 8);
    return box('ispe', size);
  };
  const properties = box('iprp', box('ipco', Buffer.concat([ispe(512, 512), ispe(width, height)])));
  const meta = box('meta', Buffer.concat([Buffer.alloc(4), box('hdlr', Buffer.alloc(20)), properties]));
  return Buffer.concat([box('ftyp', Buffer.from(`${brand}\0\0\0\0mif1`)), meta]);
}
