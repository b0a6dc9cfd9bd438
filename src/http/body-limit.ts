import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';

/** Reads a body chunk by chunk. */
export interface Reader {
  read(): Promise<
    { readonly done: true } | { readonly done?: false | undefined; readonly value: Uint8Array }
  >;
}

/** A body being read. */
interface Reading {
  /** Bytes received so far, copied: a body can arrive in chunks of one byte. */
  buffer: Uint8Array<ArrayBuffer>;
  isOver: boolean;
  readonly giveUp: () => void;
}

const nothing = new Uint8Array(0);

/**
 * A memory limit shared by all request bodies that are being read before their sender is verified. When it is
 * full, the oldest unfinished body is dropped: a platform's requests arrive within milliseconds, so a slow
 * sender can't block the others.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #readings = new Set<Reading>();
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes currently held. */
  get held(): number {
    return this.#held;
  }

  /** Reads a whole body; stops if it is larger than `maxBytes`, or dropped to make room for others. */
  async read(reader: Reader, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | 'too-large' | 'no-room'> {
    const { promise: givenUp, resolve } = Promise.withResolvers<'no-room'>();
    const reading: Reading = { buffer: nothing, isOver: false, giveUp: () => resolve('no-room') };
    this.#readings.add(reading);
    try {
      return await Promise.race([givenUp, this.#readAll(reading, reader, maxBytes)]);
    } finally {
      this.#forget(reading);
    }
  }

  async #readAll(
    reading: Reading,
    reader: Reader,
    maxBytes: number,
  ): Promise<Uint8Array<ArrayBuffer> | 'too-large' | 'no-room'> {
    for (let size = 0; ;) {
      const piece = await reader.read();
      if (reading.isOver) return 'no-room';
      if (piece.done) return reading.buffer.subarray(0, size);
      const { value } = piece;
      const end = size + value.byteLength;
      if (end > maxBytes) return 'too-large';
      if (end > reading.buffer.byteLength) this.#grow(reading, Math.min(maxBytes, Math.max(end, size * 2)));
      if (reading.isOver) return 'no-room';
      reading.buffer.set(value, size);
      size = end;
    }
  }

  #grow(reading: Reading, bytes: number): void {
    const more = bytes - reading.buffer.byteLength;
    for (const oldest of this.#readings) {
      if (this.#held + more <= this.#maxBytes) break;
      oldest.giveUp();
      this.#forget(oldest);
      if (oldest === reading) return;
    }
    const grown = new Uint8Array(bytes);
    grown.set(reading.buffer);
    reading.buffer = grown;
    this.#held += more;
  }

  #forget(reading: Reading): void {
    if (!this.#readings.delete(reading)) return;
    this.#held -= reading.buffer.byteLength;
    reading.buffer = nothing;
    reading.isOver = true;
  }
}

/** Shared by the whole process: 64 MiB, enough for many ordinary requests or a few of the largest. */
const room = new BodyMemory(64 * 1024 ** 2);

/**
 * Refuses (413) requests whose body is larger than `maxBytes`: at once if `Content-Length` says so, else as
 * soon as the limit is passed. All bodies together are limited too (503). The server closes the connection of a
 * request that is refused early.
 */
export function limitBody(
  maxBytes: number,
  refuse: (context: Context) => Response = (context) => context.body(null, 413),
  bodies = room,
): MiddlewareHandler {
  return async (context, next) => {
    const { url, method, headers } = context.req.raw;
    const reader = readerOf(context);
    if (!reader) return next();
    const told = headers.has('transfer-encoding') ? 0 : Number(headers.get('content-length') ?? 0);
    if (told > maxBytes) return refuse(context);
    const read = await bodies.read(reader, maxBytes);
    if (read === 'too-large') return refuse(context);
    if (read === 'no-room') return context.body(null, 503);
    const { signal } = context.req.raw;
    context.req.raw = new Request(url, { method, headers, body: read, signal });
    return next();
  };
}

/** Reads from Node's request directly when there is one: web streams over it are slow. */
function readerOf({ env, req }: Context): Reader | undefined {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  if (!incoming) return req.raw.body?.getReader();
  if (req.method === 'GET' || req.method === 'HEAD') return undefined;
  const chunks = incoming[Symbol.asyncIterator]();
  return { read: () => chunks.next() };
}

/** Reads the body of a response of at most so many bytes. */
export async function readAtMost({ body }: Response, most: number): Promise<Uint8Array | 'too-large'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > most) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
