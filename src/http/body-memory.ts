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
    for (let size = 0; ; ) {
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
    this.#held += bytes - reading.buffer.byteLength;
    for (const oldest of this.#readings) {
      if (this.#held <= this.#maxBytes) break;
      this.#held -= oldest === reading ? bytes - reading.buffer.byteLength : 0;
      oldest.giveUp();
      this.#forget(oldest);
    }
    if (reading.isOver) return;
    const grown = new Uint8Array(bytes);
    grown.set(reading.buffer);
    reading.buffer = grown;
  }

  #forget(reading: Reading): void {
    if (!this.#readings.delete(reading)) return;
    this.#held -= reading.buffer.byteLength;
    reading.buffer = nothing;
    reading.isOver = true;
  }
}
