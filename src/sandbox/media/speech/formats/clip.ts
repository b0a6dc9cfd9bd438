/** An encoded audio file. */
export interface Clip {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Playing time. */
  readonly seconds: number;
}

/** Speech in chunks of 16-bit mono samples at 22050 Hz. */
export type SpeechStream = Iterable<Int16Array>;

/** Joins `parts` to one array. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
