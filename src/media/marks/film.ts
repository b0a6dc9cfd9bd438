import { isManifestOfModel, markedPacket, newPacket, statesSource, uint32 } from './mark.ts';
import type { Pieces } from './pieces.ts';

/** Bytes of the largest box that's looked into: descriptions have some kilobytes for each minute. */
const largestRead = 4 * 2 ** 20;
const xmpId = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const manifestId = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');

/** Whether it's an MP4, or another file of boxes (ISO/IEC 14496-12): QuickTime, M4A, AVIF, HEIC. */
export function isOfBoxes(head: Buffer): boolean {
  return typeOf(head) === 'ftyp';
}

/**
 * Marks a film while it passes. Its XMP is a box at the end, since positions of pictures in the file have to stay true; a
 * packet that stood elsewhere comes there with the mark, and leaves a free box of its size. One that ends within a box, or
 * whose last box has no end of its own, stays as it is.
 */
export async function* markedFilm(pieces: Pieces): AsyncGenerator<Buffer> {
  let packet: Buffer | undefined = newPacket;
  for (;;) {
    const head = await pieces.peek(16);
    if (head.length === 0) break;
    const length = lengthOf(head);
    if (length === undefined) return yield* pieces.rest();
    if (length > largestRead || typeOf(head) === 'mdat') {
      if ((yield* pieces.pass(length)) < length) return;
      continue;
    }
    const box = await pieces.take(length);
    if (box.length < length) return yield box;
    const found: Buffer | undefined = packet === newPacket ? packetAfter(box) : packet;
    const isMoved = found !== undefined && found !== packet;
    packet = packet && found;
    yield isMoved ? freed(box) : box;
  }
  if (packet) yield* [uint32.be(24 + packet.length), Buffer.from('uuid'), xmpId, packet];
}

function typeOf(box: Buffer): string {
  return box.toString('latin1', 4, 8);
}

/** Undefined if the box goes on to the end of the file, or can't be one. */
function lengthOf(head: Buffer): number | undefined {
  if (head.length < 8) return undefined;
  const length = head.readUInt32BE(0);
  if (length !== 1) return length < 8 ? undefined : length;
  const long = head.length < 16 ? 0 : Number(head.readBigUInt64BE(8));
  return long >= 16 && Number.isSafeInteger(long) ? long : undefined;
}

/** The packet that's to be added if the file has this box: none if that says what there is to say. */
function packetAfter(box: Buffer): Buffer | undefined {
  if (typeOf(box) !== 'uuid') return statesSource(box) ? undefined : newPacket;
  const id = box.subarray(8, 24);
  if (id.equals(manifestId) && isManifestOfModel(box)) return undefined;
  return id.equals(xmpId) ? markedPacket(box.subarray(24)) : newPacket;
}

function freed(box: Buffer): Buffer {
  return Buffer.concat([box.subarray(0, 4), Buffer.from('free'), box.subarray(8)]);
}
