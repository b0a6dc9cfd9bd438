import { setImmediate } from 'node:timers/promises';

/** Bytes that are copied at a time, which takes about a millisecond. */
const copiedAtOnce = 4 * 2 ** 20;

/** Pieces of a file as one, copied without keeping the event loop busy. */
export async function joined(pieces: readonly Uint8Array[]): Promise<Buffer<ArrayBuffer>> {
  // Memory of its own, which can be sent to another thread.
  const whole = Buffer.from(new ArrayBuffer(pieces.reduce((sum, { length }) => sum + length, 0)));
  let at = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += copiedAtOnce) {
      const part = piece.subarray(from, from + copiedAtOnce);
      whole.set(part, at);
      const isDue = Math.floor(at / copiedAtOnce) !== Math.floor((at + part.length) / copiedAtOnce);
      at += part.length;
      if (isDue) await setImmediate();
    }
  }
  return whole;
}

/** A file that comes in pieces, of which the next bytes can be looked at before they pass. */
export class Pieces {
  readonly #content: AsyncIterator<Uint8Array>;
  #held: Buffer[] = [];
  #size = 0;

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#content = content[Symbol.asyncIterator]();
  }

  /** The next bytes, which are still to pass; fewer where the file ends before. */
  async peek(length: number): Promise<Buffer> {
    while (this.#size < length && (await this.#pull()));
    const [first = Buffer.alloc(0)] = this.#held;
    if (first.length >= length) return first.subarray(0, length);
    const enough = this.#held.length > 1 ? await joined(this.#held) : first;
    this.#held = [enough];
    return enough.subarray(0, length);
  }

  /** Takes the next bytes; fewer where the file ends before. */
  async take(length: number): Promise<Buffer> {
    const taken = await this.peek(length);
    this.#drop(taken.length);
    return taken;
  }

  /** Lets so many bytes pass, as they come; returns how many there were. */
  async *pass(length: number): AsyncGenerator<Buffer, number> {
    let passed = 0;
    while (passed < length && (this.#size > 0 || (await this.#pull()))) {
      const piece = (this.#held[0] ?? Buffer.alloc(0)).subarray(0, length - passed);
      this.#drop(piece.length);
      passed += piece.length;
      yield piece;
    }
    return passed;
  }

  /** Lets everything else pass. */
  async *rest(): AsyncGenerator<Buffer, void> {
    yield* this.pass(Number.POSITIVE_INFINITY);
  }

  /** Whoever makes the pieces needn't go on. */
  async close(): Promise<void> {
    await this.#content.return?.();
  }

  async #pull(): Promise<boolean> {
    const { done, value } = await this.#content.next();
    if (done) return false;
    // An empty piece would be taken for the end.
    if (value.byteLength > 0) this.#held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    this.#size += value.byteLength;
    return this.#size > 0 || this.#pull();
  }

  /** Of the first piece held: no more than it has. */
  #drop(length: number): void {
    const [first, ...others] = this.#held;
    const left = first?.subarray(length);
    this.#held = left && left.length > 0 ? [left, ...others] : others;
    this.#size -= length;
  }
}
