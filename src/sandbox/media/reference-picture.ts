import type { Size } from './sizes.ts';

/** The most pixels of a reference image, at four bytes each when decoded. */
const maxPixels = 64_000_000;

/** The requirements of a reference image, for errors. */
export const referencePicture = `PNG, JPEG, WebP or GIF image of at most ${maxPixels / 1e6} megapixels`;

/** A data URL without a readable image, or with one that is too large. */
export class UnreadableReference extends Error {
  override readonly name = 'UnreadableReference';
  /** Its index in the list. */
  readonly index: number;

  constructor(index: number) {
    super(`reference ${index + 1} is no ${referencePicture} as a data URL`);
    this.index = index;
  }
}

/** Whether an image takes too much memory to be drawn. */
export function tooManyPixels({ width, height }: Size): boolean {
  return width * height > maxPixels;
}

/**
 * Reads the size of a PNG, JPEG, WebP or GIF from its header, without decoding it: a small file can hold a huge
 * image. Undefined for anything else.
 */
export function pictureSize(bytes: Buffer): Size | undefined {
  const starts = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text;
  try {
    if (starts('\x89PNG\r\n\x1a\n')) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    if (starts('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    if (starts('RIFF') && starts('WEBP', 8)) return webpSize(bytes);
    return starts('\xff\xd8\xff') ? jpegSize(bytes) : undefined;
  } catch (error) {
    // The file ends within its header.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function webpSize(bytes: Buffer): Size | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Of the markers C0 to CF, those that don't start a frame. */
const noFrames = [0xc4, 0xc8, 0xcc];

function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2;
  for (;;) {
    // A marker may be preceded by any number of FF bytes.
    while (bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt8(at + 1);
    if (bytes.readUInt8(at) !== 0xff || marker === 0xda) return undefined;
    if (marker >= 0xc0 && marker <= 0xcf && !noFrames.includes(marker))
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
}
