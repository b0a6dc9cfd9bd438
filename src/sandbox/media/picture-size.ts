import type { Size } from './sizes.ts';

/** Reference pictures may have so many pixels, which take four bytes each when they are drawn. */
export const maxReferencePixels = 64_000_000;

/**
 * The pixels of a picture as its first bytes tell, before anything is decoded: a small file can hold a picture that
 * no memory has room for. Undefined for anything but PNG, JPEG, WebP and GIF.
 */
export function pictureSize(bytes: Buffer): Size | undefined {
  try {
    return pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  } catch (error) {
    // The file ends before it has told its size.
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

/** Markers that begin a frame are C0 to CF, except those of tables and of extensions. */
const noFrames = [0xc4, 0xc8, 0xcc];

function jpegSize(bytes: Buffer): Size | undefined {
  if (!starts(bytes, '\xff\xd8\xff')) return undefined;
  let at = 2;
  for (;;) {
    // Any number of FF may stand before a marker.
    while (bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt8(at + 1);
    if (bytes.readUInt8(at) !== 0xff || marker === 0xda) return undefined;
    if (marker >= 0xc0 && marker <= 0xcf && !noFrames.includes(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
}
