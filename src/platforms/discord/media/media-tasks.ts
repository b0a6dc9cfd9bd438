/** What the worker is asked to do; plain data, so that it crosses to the worker's thread. */
export type MediaTask =
  | { readonly kind: 'shrink'; readonly bytes: Uint8Array; readonly limit: number }
  | { readonly kind: 'voice'; readonly bytes: Uint8Array };

/** An image encoded anew to fit; undefined where it is none that can be read, or cannot be made so small. */
export type ShrunkImage = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly extension: string;
};

/** What a voice message says of its sound; undefined where it is no Ogg Opus. */
export interface VoiceMetadata {
  readonly seconds: number;
  /** One byte for each part of the clip, at most 256, base64. */
  readonly waveform: string;
}
