/** Bytes of a chunk; the last one of a file has fewer. Small, so that none keeps the event loop busy for long. */
export const chunkBytes = 256 * 1024;

/** Bytes of a file and where in it they are. */
export interface Chunk {
  readonly start: number;
  readonly content: Uint8Array;
}

/** Content that comes in any pieces, as chunks of {@link chunkBytes}; the next piece is taken when a chunk has been. */
export async function* chunksOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
  let start = 0;
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for await (const piece of content) {
    let taken = 0;
    while (taken < piece.byteLength) {
      const part = piece.subarray(taken, taken + chunkBytes - filled);
      chunk.set(part, filled);
      filled += part.byteLength;
      taken += part.byteLength;
      if (filled < chunkBytes) continue;
      yield { start, content: chunk };
      start += filled;
      chunk = Buffer.allocUnsafe(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield { start, content: chunk.subarray(0, filled) };
}
