/** Boxes that hold others, on the way to those with times (ISO/IEC 14496-12). */
const containers = new Set(['moov', 'trak', 'mdia']);
const dated = new Set(['mvhd', 'tkhd', 'mdhd']);
const headBytes = 8;

/**
 * Takes out of an MP4, in place, when it was made, so that the same film is the same file: the times of creation
 * and modification of the film and its tracks become 0, which is what is written where nobody knows.
 */
export function undated(mp4: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  eraseTimes(new DataView(mp4.buffer, mp4.byteOffset, mp4.byteLength), 0, mp4.byteLength);
  return mp4;
}

function eraseTimes(view: DataView, start: number, end: number): void {
  for (let at = start; at + headBytes <= end; ) {
    const size = view.getUint32(at);
    const name = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    // Large boxes with a longer head hold the film's data, and nothing comes behind those.
    if (size < headBytes) return;
    if (containers.has(name)) eraseTimes(view, at + headBytes, at + size);
    if (dated.has(name)) eraseTimesOf(view, at + headBytes);
    at += size;
  }
}

/** Version 1 has times of 8 bytes, version 0 of 4; both stand behind version and flags. */
function eraseTimesOf(view: DataView, at: number): void {
  const bytes = view.getUint8(at) === 1 ? 16 : 8;
  for (let offset = 0; offset < bytes; offset++) view.setUint8(at + 4 + offset, 0);
}
