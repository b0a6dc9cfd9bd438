import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** One by the service, and one by a proxy. Each name in a header would take a decoder of its own (CVE-2026-22036). */
const mostEncodings = 2;

/** Ignores stream errors that the reader gets anyway, or that nobody reads any more. */
const ignore = (): void => undefined;

/**
 * The body without its content encoding; `undefined` for an unknown encoding, and for more than two. We don't request
 * compression, but proxies add it.
 */
export function decompressed(body: Readable, encoding: string | undefined): Readable | undefined {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  let stream = body.on('error', ignore);
  if (names.length > mostEncodings) return undefined;
  for (const name of names.reverse()) {
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
 * `look` sees each part as it arrives; what it throws ends the reading.
 */
export async function readUpTo(
  body: Readable,
  maxBytes: number,
  look?: (part: Uint8Array) => void,
): Promise<BodyPart> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    look?.(chunk);
    // Leaving the loop destroys the stream, and so the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}
