import type { SpeechFormat } from '../../service-rules/limits.ts';
import type { Size } from '../media/sizes.ts';

/** A text to speak. */
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

/** An image to draw; references are URLs. */
export interface ImageOrder extends Size {
  readonly prompt: string;
  readonly references?: readonly string[];
  /** Another seed gives another image of the same prompt; 0 by default. */
  readonly seed?: number;
}

/** A video to render; the same order gives the same bytes. */
export interface VideoOrder extends ImageOrder {
  readonly seconds: number;
  readonly seed: number;
  readonly generateAudio: boolean;
}

/** Renders the sandbox's media. */
export interface Studio {
  speak(order: SpeechOrder, signal?: AbortSignal): Promise<SpokenClip>;
  /** Draws a PNG file. */
  draw(order: ImageOrder, signal?: AbortSignal): Promise<Uint8Array>;
  /** Renders an MP4 file; progress goes from 0 to 1. */
  film(order: VideoOrder, onProgress?: (done: number) => void, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void> | void;
}
