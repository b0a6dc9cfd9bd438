/** Bytes of a file's head, and of a chunk's: its name and its size. */
const fileHead = 12;
const chunkHead = 8;
/** Bytes of `fmt ` up to the byte rate. */
const rateEnd = 12;

/**
 * The length of a WAV from its byte rate and the size of its sound. Undefined if it isn't a WAV, or is one whose sizes
 * don't fit the file, as when it was streamed and they were never filled in.
 */
export function wavSeconds(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nameAt = (at: number) => file.toString('latin1', at, at + 4);
  if (nameAt(0) !== 'RIFF' || nameAt(8) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let at = fileHead; at + chunkHead <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const content = at + chunkHead;
    if (content + size > file.length) return undefined;
    if (nameAt(at) === 'fmt ' && size >= rateEnd) bytesPerSecond = file.readUInt32LE(content + 8);
    if (nameAt(at) === 'data') return bytesPerSecond > 0 && size > 0 ? size / bytesPerSecond : undefined;
    // Chunks begin at even offsets.
    at = content + size + (size % 2);
  }
  return undefined;
}
