import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** Ignores stream errors that the reader gets anyway, or that nobody reads any more. */
const ignore = (): void => undefined;

/**
 * The body without its content encoding; `undefined` for an unknown encoding. We don't request compression, but
 * proxies add it.
 */
export function decompressed(body: Readable, encoding: string | undefined): Readable | undefined {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let stream = body.on('error', ignore);
  for (const name of names.reverse()) {
    if (name === '' || name === 'identity') continue;
    const decoder = decoders.get(name);
    if (!decoder) return undefined;
    stream = pipeline(stream, decoder(), ignore);
  }
  return stream;
}

/** Result of {@link readUpTo}; `whole` is false if the body was longer. */
export interface BodyPart {
  bytes: Buffer<ArrayBuffer>;
  whole: boolean;
}

/**
 * Reads a body to its end, or until it exceeds `maxBytes`; then it is dropped, so it is never in memory as a whole.
 */
export async function readUpTo(body: Readable, maxBytes: number): Promise<BodyPart> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream, and so the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}
