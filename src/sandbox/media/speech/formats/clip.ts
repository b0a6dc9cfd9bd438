/** A finished sound file. */
export interface Clip {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Length of what is heard when it is played. */
  readonly seconds: number;
}

/** Speech as it is made: stretches of 16-bit mono samples at 22050 Hz. */
export type SpeechStream = Iterable<Int16Array>;

/** One array of all `parts`. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
