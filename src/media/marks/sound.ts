import { isManifestOfModel, madeByModel, type Splice, uint32 } from './mark.ts';

const name = 'DigitalSourceType';

/** Changes that mark an MP3: a text of one's own name in its ID3 tag. */
export function mp3Mark(file: Buffer): readonly Splice[] {
  const head = file.subarray(0, 10);
  if (head.toString('latin1', 0, 3) !== 'ID3') {
    return [{ at: 0, insert: Buffer.concat([Buffer.from('ID3\x03\0\0'), synchsafe(frame.length), frame]) }];
  }
  const size = synchsafeAt(file, 6);
  // Versions 3 and 4 have the same frames, if nothing else is said of the tag.
  const isPlain = (head[3] === 3 || head[3] === 4) && head[5] === 0;
  const tag = file.subarray(10, 10 + size);
  if (!isPlain || tag.length < size || tag.includes(madeByModel) || isManifestOfModel(tag)) return [];
  return [
    { at: 6, remove: 4, insert: synchsafe(size + frame.length) },
    { at: 10, insert: frame },
  ];
}

/** Its size, below 128, is the same number in both versions. */
const frame = (() => {
  const content = Buffer.from(`\0${name}\0${madeByModel}`, 'latin1');
  return Buffer.concat([Buffer.from('TXXX'), uint32.be(content.length), Buffer.alloc(2), content]);
})();

/** A number of 28 bits in four bytes of seven each. */
function synchsafe(value: number): Buffer {
  return Buffer.from([value >> 21, value >> 14, value >> 7, value].map((byte) => byte & 0x7f));
}

function synchsafeAt(file: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => (sum << 7) | (file.readUInt8(at + index) & 0x7f), 0);
}

/** Changes that mark Opus or Vorbis in Ogg: a comment in the second page, where the comments begin. */
export function oggMark(file: Buffer): readonly Splice[] {
  const first = pageAt(file, 0);
  const page = pageAt(file, first.end);
  const beginning = beginnings.find((id) => page.body.indexOf(id) === 0);
  // Comments that go on in another page, with a cover for example, stay as they are.
  const length = packetLength(page.laces);
  if (!beginning || page.end > file.length || page.isContinued || length === undefined) return [];
  const packet = page.body.subarray(0, length);
  if (packet.includes(madeByModel)) return [];
  const [count, end] = commentsIn(packet, beginning.length);
  if (end > packet.length) return [];
  const comment = Buffer.from(`${name.toUpperCase()}=${madeByModel}`);
  const marked = Buffer.concat([
    packet.subarray(0, count),
    uint32.le(packet.readUInt32LE(count) + 1),
    packet.subarray(count + 4, end),
    uint32.le(comment.length),
    comment,
    packet.subarray(end),
  ]);
  const rest = page.laces.subarray(Math.floor(length / 255) + 1);
  const laces = Buffer.concat([lacesFor(marked.length), rest]);
  if (laces.length > 255) return [];
  const head = Buffer.from(file.subarray(first.end, first.end + 27));
  head.writeUInt32LE(0, 22);
  head.writeUInt8(laces.length, 26);
  const insert = Buffer.concat([head, laces, marked, page.body.subarray(length)]);
  insert.writeUInt32LE(checksum(insert), 22);
  return [{ at: first.end, remove: page.end - first.end, insert }];
}

/** Of the comments of Opus, and of Vorbis. */
const beginnings = ['OpusTags', '\x03vorbis'];

/** A page (RFC 3533, section 6). */
function pageAt(file: Buffer, at: number) {
  if (file.toString('latin1', at, at + 4) !== 'OggS') throw new RangeError('no page');
  const start = at + 27 + file.readUInt8(at + 26);
  const laces = file.subarray(at + 27, start);
  const end = start + laces.reduce((sum, lace) => sum + lace, 0);
  return { isContinued: (file.readUInt8(at + 5) & 1) !== 0, laces, body: file.subarray(start, end), end };
}

/** Bytes of the first packet of a page: it ends with a lace below 255; undefined if it goes on in the next page. */
function packetLength(laces: Buffer): number | undefined {
  const last = laces.findIndex((lace) => lace < 255);
  return last < 0 ? undefined : last * 255 + laces.readUInt8(last);
}

function lacesFor(length: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.floor(length / 255), 255), Buffer.from([length % 255])]);
}

/** Where the number of comments stands, after the vendor's name, and where the last comment ends. */
function commentsIn(packet: Buffer, start: number): readonly [number, number] {
  const count = start + 4 + packet.readUInt32LE(start);
  let end = count + 4;
  for (let left = packet.readUInt32LE(count); left > 0; left--) end += 4 + packet.readUInt32LE(end);
  return [count, end];
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
  return value >>> 0;
});

/** The checksum of a page, whose own field is zero. */
function checksum(page: Buffer): number {
  let value = 0;
  for (const byte of page) value = ((value << 8) ^ (crcTable[(value >>> 24) ^ byte] ?? 0)) >>> 0;
  return value;
}
