/** Opus samples are counted at this rate, regardless of the recording's (RFC 7845, section 4). */
const rate = 48_000;
const pageHead = 27;
/** The largest possible page: its header, its segment table, and 255 segments of 255 bytes. */
const maxPage = pageHead + 255 + 255 * 255;

/**
 * The length of an Ogg Opus clip, from the sample count on its last page (RFC 7845, section 4.3) minus the samples
 * that aren't played. Undefined if it isn't Ogg Opus, or has more than one stream.
 */
export function oggSeconds(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = pageHead + 1;
  const isOpus =
    file.length > head + 12 && isPage(file, 0) && file.toString('latin1', head, head + 8) === 'OpusHead';
  if (!isOpus) return undefined;
  const last = lastPage(file);
  if (last === undefined) return undefined;
  const isOne = file.readUInt32LE(last + 14) === file.readUInt32LE(14);
  const samples = Number(file.readBigInt64LE(last + 6)) - file.readUInt16LE(head + 10);
  return isOne && samples > 0 ? samples / rate : undefined;
}

function isPage(file: Buffer, at: number): boolean {
  return file.toString('latin1', at, at + 4) === 'OggS';
}

/** Start of the page that is marked as the last and ends the file. */
function lastPage(file: Buffer): number | undefined {
  for (
    let at = file.lastIndexOf('OggS');
    at > 0 && at > file.length - maxPage;
    at = file.lastIndexOf('OggS', at - 1)
  ) {
    if (at + pageHead > file.length) continue;
    const segments = file.subarray(at + pageHead, at + pageHead + file.readUInt8(at + 26));
    const content = segments.reduce((sum, length) => sum + length, 0);
    const isLast = (file.readUInt8(at + 5) & 4) !== 0;
    if (at + pageHead + segments.length + content === file.length) return isLast ? at : undefined;
  }
  return undefined;
}
