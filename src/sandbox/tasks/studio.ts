import type { SpeechFormat } from '../../service-rules/limits.ts';
import type { Size } from '../media/sizes.ts';

/** A text to be spoken. */
export interface SpeechOrder {
  readonly text: string;
  readonly voice: string;
  readonly language?: string;
  /** `vorbis` is Vorbis in Ogg, the others as the description names them. */
  readonly format: SpeechFormat | 'vorbis';
  readonly speed: number;
}

/** A spoken text as a file; `seconds` is the length of the clip. */
export interface SpokenClip {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly seconds: number;
}

/** A picture to be drawn; references are the addresses that were given. */
export interface DrawingOrder extends Size {
  readonly prompt: string;
  readonly references?: readonly string[];
}

/** A video to be filmed; the same order gives the same bytes. */
export interface FilmOrder extends DrawingOrder {
  readonly seconds: number;
  readonly seed: number;
  readonly generateAudio: boolean;
}

/** What the sandbox needs of whoever makes its media. */
export interface Studio {
  speak(order: SpeechOrder, signal?: AbortSignal): Promise<SpokenClip>;
  /** A PNG file. */
  draw(order: DrawingOrder, signal?: AbortSignal): Promise<Uint8Array>;
  /** An MP4 file; progress goes from 0 to 1. */
  film(order: FilmOrder, onProgress?: (done: number) => void, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void> | void;
}
