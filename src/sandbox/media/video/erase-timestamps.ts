/** Container boxes that lead to those with timestamps (ISO/IEC 14496-12). */
const containers = new Set(['moov', 'trak', 'mdia']);
const dated = new Set(['mvhd', 'tkhd', 'mdhd']);
const headBytes = 8;

/** Zeroes the creation and modification times of an MP4, in place, so that the same video gives the same file. */
export function eraseTimestamps(mp4: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  eraseTimes(new DataView(mp4.buffer, mp4.byteOffset, mp4.byteLength), 0, mp4.byteLength);
  return mp4;
}

function eraseTimes(view: DataView, start: number, end: number): void {
  for (let at = start; at + headBytes <= end; ) {
    const size = view.getUint32(at);
    const name = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    // Boxes with a 64-bit size hold the media data and come last.
    if (size < headBytes) return;
    if (containers.has(name)) eraseTimes(view, at + headBytes, at + size);
    if (dated.has(name)) eraseTimesOf(view, at + headBytes);
    at += size;
  }
}

/** Timestamps have 8 bytes in version 1 and 4 in version 0, after version and flags. */
function eraseTimesOf(view: DataView, at: number): void {
  const bytes = view.getUint8(at) === 1 ? 16 : 8;
  for (let offset = 0; offset < bytes; offset++) view.setUint8(at + 4 + offset, 0);
}
