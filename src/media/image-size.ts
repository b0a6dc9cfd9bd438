/** Images with more pixels aren't decoded: each takes four bytes, and a small file can contain billions. */
export const maxImagePixels = 50_000_000;
/** Parts that are read before the size, or boxes within one: real files have a few dozen. */
const maxParts = 1_000;

/**
 * Type and size of a PNG, JPEG, GIF, WebP, AVIF or HEIC, read as their decoders would; undefined for anything else, and
 * for a file that ends or is corrupt before its size. Reads headers only, however large the file.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = pngSize(file) ?? gifSize(file) ?? webpSize(file) ?? jpegSize(file) ?? heifSize(file);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether an image has too many pixels to be decoded. */
export function hasTooManyPixels({ width, height }: ImageSize): boolean {
  return width * height > maxImagePixels;
}

function hasText(file: Buffer, text: string, at = 0): boolean {
  return file.toString('latin1', at, at + text.length) === text;
}

function pngSize(file: Buffer): ImageSize | undefined {
  if (!hasText(file, '\x89PNG\r\n\x1a\n') || !hasText(file, 'IHDR', 12)) return undefined;
  return { type: 'image/png', width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

/** The size of the screen, or of the first picture if that is larger: decoders enlarge the screen then. */
function gifSize(file: Buffer): ImageSize | undefined {
  if (!hasText(file, 'GIF87a') && !hasText(file, 'GIF89a')) return undefined;
  const [width, height] = [file.readUInt16LE(6), file.readUInt16LE(8)];
  let at = 13 + colorTableBytes(file.readUInt8(10));
  for (let parts = 0; parts < maxParts && file.readUInt8(at) === 0x21; parts++) {
    at += 2;
    for (let block = file.readUInt8(at); block > 0; block = file.readUInt8(at)) at += 1 + block;
    at += 1;
  }
  if (file.readUInt8(at) !== 0x2c) return undefined;
  return {
    type: 'image/gif',
    width: Math.max(width, file.readUInt16LE(at + 1) + file.readUInt16LE(at + 5)),
    height: Math.max(height, file.readUInt16LE(at + 3) + file.readUInt16LE(at + 7)),
  };
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function webpSize(file: Buffer): ImageSize | undefined {
  if (!hasText(file, 'RIFF') || !hasText(file, 'WEBP', 8)) return undefined;
  const type = 'image/webp';
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { type, width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const packed = file.readUInt32LE(21);
      return { type, width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { type, width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** Markers from C0 to CF begin a frame, except these (tables and extensions). */
const notFrames = [0xc4, 0xc8, 0xcc];

/** Markers without a length: TEM, restarts, and 0, which decoders skip. */
function hasNoLength(marker: number): boolean {
  return marker <= 1 || (marker >= 0xd0 && marker <= 0xd7);
}

/** The size of the first frame. Camera previews are inside segments, which are skipped. */
function jpegSize(file: Buffer): ImageSize | undefined {
  if (!hasText(file, '\xff\xd8\xff')) return undefined;
  let at = 2;
  for (let parts = 0; parts < maxParts; parts++) {
    // Any number of FF may precede a marker.
    while (file.readUInt8(at + 1) === 0xff) at += 1;
    const marker = file.readUInt8(at + 1);
    if (file.readUInt8(at) !== 0xff || marker === 0xda) return undefined;
    if (marker >= 0xc0 && marker <= 0xcf && !notFrames.includes(marker)) {
      return { type: 'image/jpeg', width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    }
    at += 2 + (hasNoLength(marker) ? 0 : Math.max(2, file.readUInt16BE(at + 2)));
  }
  return undefined;
}

/** A box of an ISO file (ISO/IEC 14496-12), with its content from `start` to `end`. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Size of an AVIF or HEIC: that of its largest item (property `ispe`, ISO/IEC 23008-12), because an image may consist of
 * tiles.
 */
function heifSize(file: Buffer): ImageSize | undefined {
  const [first, ...others] = boxesOf(file, 0, file.length);
  if (first?.type !== 'ftyp') return undefined;
  const brand = file.toString('latin1', first.start, first.start + 4);
  const type = typeOf(brand);
  const meta = others.find((box) => box.type === 'meta');
  if (!type || !meta) return undefined;
  // After the version and flags of a full box.
  const properties = findBox(file, { ...meta, start: meta.start + 4 }, 'iprp');
  const list = properties && findBox(file, properties, 'ipco');
  if (!list) return undefined;
  let size: ImageSize | undefined;
  for (const { type: name, start, end } of boxesOf(file, list.start, list.end)) {
    if (name !== 'ispe' || end - start < 12) continue;
    const [width, height] = [file.readUInt32BE(start + 4), file.readUInt32BE(start + 8)];
    if (!size || width * height > size.width * size.height) size = { type, width, height };
  }
  return size;
}

function typeOf(brand: string): ImageSize['type'] | undefined {
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return ['heic', 'heix', 'heim', 'heis', 'mif1'].includes(brand) ? 'image/heic' : undefined;
}

function findBox(file: Buffer, box: Box, type: string): Box | undefined {
  return boxesOf(file, box.start, box.end).find((one) => one.type === type);
}

/** The boxes between two positions; ends at one that doesn't fit. */
function boxesOf(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  let at = from;
  while (at + 8 <= to && boxes.length < maxParts) {
    const short = file.readUInt32BE(at);
    const isLong = short === 1;
    if (isLong && at + 16 > to) break;
    const length = isLong ? Number(file.readBigUInt64BE(at + 8)) : short || to - at;
    const head = isLong ? 16 : 8;
    const end = at + length;
    if (length < head || end > to) break;
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), start: at + head, end });
    at = end;
  }
  return boxes;
}

/** Type and size of an image as its header states them. */
export interface ImageSize {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif' | 'image/heic';
  readonly width: number;
  readonly height: number;
}
