import { crc32 } from 'node:zlib';
import { isManifestOfModel, markedPacket, newPacket, type Splice, uint32 } from './mark.ts';

/** Changes that mark a PNG: its XMP is the text `XML:com.adobe.xmp`, before the pixels if it's new. */
export function pngMark(file: Buffer): readonly Splice[] {
  let packet: Splice | undefined;
  let pixels: number | undefined;
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (end > file.length) return [];
    const data = file.subarray(at + 8, end - 4);
    if (type === 'caBX' && isManifestOfModel(data)) return [];
    if (type === 'IDAT') pixels ??= at;
    if (type === 'iTXt' && data.indexOf(xmpKeyword) === 0) {
      const text = plainTextOf(data);
      const marked = text && markedPacket(text);
      if (!marked) return [];
      const head = data.subarray(0, data.length - text.length);
      packet ??= { at, remove: end - at, insert: pngChunk('iTXt', Buffer.concat([head, marked])) };
    }
    if (type === 'IEND') {
      if (pixels === undefined) return [];
      return [packet ?? { at: pixels, insert: pngChunk('iTXt', newText) }];
    }
    at = end;
  }
  return [];
}

const xmpKeyword = 'XML:com.adobe.xmp\0';
/** Neither compressed nor in a language. */
const newText = Buffer.concat([Buffer.from(`${xmpKeyword}\0\0\0\0`), newPacket]);

/** The text of an `iTXt` chunk; undefined if it's compressed, which XMP must not be. */
function plainTextOf(data: Buffer): Buffer | undefined {
  const flags = xmpKeyword.length;
  const language = data.indexOf(0, flags + 2);
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1);
  return data[flags] === 0 && translated > 0 ? data.subarray(translated + 1) : undefined;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32.be(data.length), typed, uint32.be(crc32(typed))]);
}

/** Changes that mark a JPEG: its XMP is an APP1 segment, after JFIF's and EXIF's if it's new. */
export function jpegMark(file: Buffer): readonly Splice[] {
  let packet: Splice | undefined;
  let free = 2;
  const manifest: Buffer[] = [];
  for (let at = 2; ;) {
    // Any number of FF may precede a marker.
    while (file.readUInt8(at + 1) === 0xff) at += 1;
    const marker = file.readUInt8(at + 1);
    if (file.readUInt8(at) !== 0xff || marker === 0xd9) return [];
    if (marker === 0xda) break;
    // TEM and restarts have no length.
    if (marker === 1 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2;
      continue;
    }
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length || end < at + 4) return [];
    const data = file.subarray(at + 4, end);
    if ((marker === 0xe0 || isExif(marker, data)) && free === at) free = end;
    // A box that's larger than a segment goes on in the next one, after its head.
    if (marker === 0xeb && data.indexOf('JP') === 0) manifest.push(data.subarray(16));
    if (marker === 0xe1 && data.indexOf(xmpNamespace) === 0) {
      const marked = markedPacket(data.subarray(xmpNamespace.length));
      if (!marked || marked.length > longestPacket) return [];
      packet ??= { at, remove: end - at, insert: xmpSegment(marked) };
    }
    at = end;
  }
  if (isManifestOfModel(Buffer.concat(manifest))) return [];
  return [packet ?? { at: free, insert: xmpSegment(newPacket) }];
}

const xmpNamespace = 'http://ns.adobe.com/xap/1.0/\0';
const longestPacket = 0xffff - 2 - xmpNamespace.length;

function isExif(marker: number, data: Buffer): boolean {
  return marker === 0xe1 && data.indexOf('Exif\0') === 0;
}

function xmpSegment(packet: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from(xmpNamespace), packet]);
  const length = data.length + 2;
  return Buffer.concat([Buffer.from([0xff, 0xe1, length >> 8, length & 0xff]), data]);
}

/** Changes that mark a GIF: its XMP is an application extension, after the global colours. */
export function gifMark(file: Buffer): readonly Splice[] {
  const flags = file.readUInt8(10);
  const at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  // Only GIF89a has extensions. What has XMP, which ends in no table of its own, stays as it is.
  if (file.toString('latin1', 3, 6) !== '89a' || file.at(-1) !== 0x3b || at >= file.length) return [];
  if (file.includes('XMP DataXMP') || file.includes('C2PA_GIF')) return [];
  return [{ at, insert: gifExtension }];
}

/** Readers that don't know it skip the packet as blocks of data: the trailer leads them to its end from any byte. */
const gifExtension = Buffer.concat([
  Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'),
  newPacket,
  Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0]),
]);
