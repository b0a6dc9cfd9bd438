/** What the worker is to do: plain data that can be sent to its thread. */
export type MediaTask =
  | { readonly kind: 'shrink'; readonly bytes: Uint8Array; readonly limit: number }
  | { readonly kind: 'voice'; readonly bytes: Uint8Array };

/** A re-encoded image. */
export type ShrunkImage = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly extension: string;
};

/** The metadata of a voice message. */
export interface VoiceMetadata {
  readonly seconds: number;
  /** One byte for each part of the clip, at most 256, base64. */
  readonly waveform: string;
}
