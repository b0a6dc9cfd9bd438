import { randomUUID } from 'node:crypto';

/** A text that's read while it's sent, a piece at a time: it's never in memory as a whole. */
export interface StreamedText {
  /** All of it, exactly. */
  readonly bytes: number;
  /** From its start, each time: ASCII without quotes and backslashes, so that it's the same in JSON. */
  read(): AsyncIterable<Uint8Array>;
}

export function isStreamed(value: unknown): value is StreamedText {
  return typeof value === 'object' && value !== null && 'bytes' in value && 'read' in value;
}

/**
 * JSON of a request's body; with streamed texts in it, a streamed text itself. To write and read many megabytes of it at once
 * would block the event loop.
 */
export function jsonBody(body: object): Buffer | StreamedText {
  const texts: StreamedText[] = [];
  const mark = randomUUID();
  const json = JSON.stringify(body, (_, value: unknown) => {
    if (!isStreamed(value)) return value;
    texts.push(value);
    return mark;
  });
  if (texts.length === 0) return Buffer.from(json);
  const [start = '', ...rest] = json.split(mark);
  const pieces = [start, ...texts.flatMap((text, index) => [text, rest[index] ?? ''])];
  const lengths = pieces.map((piece) => (isStreamed(piece) ? piece.bytes : Buffer.byteLength(piece)));
  return {
    bytes: lengths.reduce((sum, bytes) => sum + bytes),
    async *read() {
      for (const piece of pieces) {
        if (isStreamed(piece)) yield* piece.read();
        else yield Buffer.from(piece);
      }
    },
  };
}
