import { imageSize } from '../image-size.ts';
import { isManifestOfModel, madeByModel, markedPacket, newPacket, type Splice, uint32 } from './mark.ts';

interface Chunk {
  readonly type: string;
  readonly at: number;
  readonly data: Buffer;
  readonly end: number;
}

/** Most that a size in the file's head can state. */
const largest = 0xffff_ffff;

/** The chunks of a RIFF file; the last one may be cut off. */
function* chunksOf(file: Buffer): Generator<Chunk> {
  for (let at = 12; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    const data = file.subarray(at + 8, at + 8 + length);
    // A chunk begins at an even position.
    const end = at + 8 + length + (length % 2);
    yield { type: file.toString('latin1', at, at + 4), at, data, end };
    at = end;
  }
}

function isTelling({ type, data }: Chunk): boolean {
  return type === 'C2PA' && isManifestOfModel(data);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const padding = Buffer.alloc(data.length % 2);
  return Buffer.concat([Buffer.from(type, 'latin1'), uint32.le(data.length), data, padding]);
}

/** Changes that mark a WebP: its XMP is the last chunk, and a flag in the first one tells of it. */
export function webpMark(file: Buffer): readonly Splice[] {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length || end % 2) return [];
  const chunks = [...chunksOf(file.subarray(0, end))];
  const [first] = chunks;
  if (!first || chunks.some((chunk) => chunk.end > end)) return [];
  if (chunks.some(isTelling)) return [];
  const head = first.type === 'VP8X' ? withXmpFlag(first) : newHead(file, first);
  if (!head) return [];
  const old = chunks.find(({ type }) => type === 'XMP ');
  const packet = old ? markedPacket(old.data) : newPacket;
  if (!packet) return [];
  const mark = chunkOf('XMP ', packet);
  const last = old ? { at: old.at, remove: old.end - old.at, insert: mark } : { at: end, insert: mark };
  return [sized(end - 8, [head, last]), head, last];
}

function withXmpFlag({ at, data }: Chunk): Splice {
  return { at: at + 8, remove: 1, insert: Buffer.from([data.readUInt8(0) | 0x04]) };
}

/** The head of a file that had only pixels (WebP container specification, "Extended File Format"). */
function newHead(file: Buffer, { type, at, data }: Chunk): Splice | undefined {
  const size = imageSize(file);
  if (!size || (type !== 'VP8 ' && type !== 'VP8L')) return undefined;
  const hasAlpha = type === 'VP8L' && (data.readUInt32LE(1) >>> 28) & 1;
  const head = Buffer.alloc(10);
  head.writeUInt8(0x04 | (hasAlpha ? 0x10 : 0), 0);
  head.writeUIntLE(size.width - 1, 4, 3);
  head.writeUIntLE(size.height - 1, 7, 3);
  return { at, insert: chunkOf('VP8X', head) };
}

/** The size in the file's head after the changes. */
function sized(size: number, splices: readonly Splice[]): Splice {
  const grown = splices.reduce((sum, { remove = 0, insert }) => sum + insert.length - remove, size);
  return { at: 4, remove: 4, insert: uint32.le(grown) };
}

/** Changes that mark a WAV: a line of its list of facts, which comes before the sound if it's new. */
export function wavMark(file: Buffer): readonly Splice[] {
  const size = file.readUInt32LE(4);
  const chunks = [...chunksOf(file)];
  const list = chunks.find(({ type, data }) => type === 'LIST' && data.indexOf('INFO') === 0);
  const sound = chunks.find(({ type }) => type === 'data');
  const isMarked = list?.data.includes(madeByModel);
  if (!sound || isMarked || chunks.some(isTelling)) return [];
  const facts =
    list && list.end <= file.length ? longer(list) : [{ at: sound.at, insert: chunkOf('LIST', newFacts) }];
  // What is written as it's made doesn't state its size.
  return size === 0 || size > largest - 1_024 ? facts : [sized(size, facts), ...facts];
}

/** A comment, or the form of the source if there is a comment. */
function fact(type: 'ICMT' | 'ISRF'): Buffer {
  return chunkOf(type, Buffer.from(`DigitalSourceType=${madeByModel}\0`));
}

const newFacts = Buffer.concat([Buffer.from('INFO'), fact('ICMT')]);

function longer({ at, data, end }: Chunk): readonly Splice[] {
  const insert = fact(data.includes('ICMT') ? 'ISRF' : 'ICMT');
  return [
    { at: at + 4, remove: 4, insert: uint32.le(end - at - 8 + insert.length) },
    { at: end, insert },
  ];
}
