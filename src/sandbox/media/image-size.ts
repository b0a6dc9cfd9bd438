import type { Size } from './sizes.ts';

/** The most pixels of a reference image, at four bytes each when decoded. */
export const maxReferencePixels = 64_000_000;

/**
 * Reads the size of a PNG, JPEG, WebP or GIF from its header, without decoding it: a small file can hold a huge
 * image. Undefined for anything else.
 */
export function pictureSize(bytes: Buffer): Size | undefined {
  try {
    return pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  } catch (error) {
    // The file ends within its header.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function starts(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}

function pngSize(bytes: Buffer): Size | undefined {
  if (!starts(bytes, '\x89PNG\r\n\x1a\n')) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | undefined {
  if (!starts(bytes, 'GIF8')) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): Size | undefined {
  if (!starts(bytes, 'RIFF') || !starts(bytes, 'WEBP', 8)) return undefined;
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
  if (!starts(bytes, '\xff\xd8\xff')) return undefined;
  let at = 2;
  for (;;) {
    // A marker may be preceded by any number of FF bytes.
    while (bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt8(at + 1);
    if (bytes.readUInt8(at) !== 0xff || marker === 0xda) return undefined;
    if (marker >= 0xc0 && marker <= 0xcf && !noFrames.includes(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
}
