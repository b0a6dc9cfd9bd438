import { unlessAborted } from '../../lib/clock.ts';
import { ConcurrencyLimit, runInWorker, type WorkOptions } from '../../media/index.ts';
import type { SpeechFormat } from '../../service-rules/limits.ts';
import { type Size, UnreadableReference } from './sizes.ts';

/** A request of `POST /audio/speech` (service description, section 4). */
export interface SpeechRequest {
  readonly text: string;
  /** A known voice id. */
  readonly voice: string;
  /** Used if the voice speaks it; otherwise the voice's default. */
  readonly language?: string;
  /** `vorbis` is Vorbis in Ogg, always the same recorded words; the others are as the description names them. */
  readonly format: SpeechFormat | 'vorbis';
  /** 0.5 to 2; the clip's length is divided by it. */
  readonly speed: number;
}

/** An audio file; `seconds` is its playing time. */
export interface Clip {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly seconds: number;
}

/** A request of `POST /images/generations` (service description, section 4). */
export interface PictureRequest extends Size {
  readonly prompt: string;
  /** Data URLs, which are drawn, and https URLs, which are shown by name and never fetched. */
  readonly references?: readonly string[];
  /** Another seed gives another picture of the same prompt; 0 by default. */
  readonly seed?: number;
}

/** A request of `POST /videos` (service description, section 4); its sides are even. The same gives the same bytes. */
export interface VideoRequest extends PictureRequest {
  /** A whole number. */
  readonly seconds: number;
  readonly seed: number;
  readonly generateAudio: boolean;
}

/** Called with the progress, from 0 to 1. */
export type OnProgress = (progress: number) => void;

/** Renders the sandbox's media. */
export interface Studio {
  /** Speaks a text to an audio file. @throws RangeError for an unknown voice */
  speak(request: SpeechRequest, signal?: AbortSignal): Promise<Clip>;
  /** Draws a PNG. @throws UnreadableReference */
  draw(request: PictureRequest, signal?: AbortSignal): Promise<Uint8Array>;
  /** Renders an MP4. @throws UnreadableReference */
  film(request: VideoRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void> | void;
}

const script = new URL('./worker.ts', import.meta.url);
/** Milliseconds that a film may take; a slow machine renders the longest in some minutes. */
const timeLimit = 60 * 60_000;

/**
 * The real studio. All work happens on worker threads, one at a time of each kind, so that nothing waits behind a long
 * video and the caller's event loop stays free. Closing it fails what is under way.
 */
export class MediaStudio implements Studio {
  readonly #closing = new AbortController();
  readonly #speech = new ConcurrencyLimit(1);
  readonly #pictures = new ConcurrencyLimit(1);
  readonly #films = new ConcurrencyLimit(1);

  /** A speech engine waits for its next task: starting one takes longer than most clips. */
  speak(request: SpeechRequest, signal?: AbortSignal): Promise<Clip> {
    return this.#make<Clip>(this.#speech, { speech: request }, { signal });
  }

  draw(request: PictureRequest, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#make<Uint8Array>(this.#pictures, { picture: request }, { signal, isKept: false });
  }

  film(request: VideoRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#make<Uint8Array>(this.#films, { video: request }, { signal, onProgress, isKept: false });
  }

  close(): void {
    this.#closing.abort(new Error('the studio was closed'));
  }

  async #make<Result>(line: ConcurrencyLimit, work: Work, options: WorkOptions): Promise<Result> {
    const { signal } = this.#closing;
    const ended = options.signal ? AbortSignal.any([signal, options.signal]) : signal;
    const inTurn = line.run(async () => {
      ended.throwIfAborted();
      return runInWorker<Made<Result>>(script, work, { ...options, timeLimit, signal: ended });
    });
    const made = await unlessAborted(inTurn, ended);
    if ('result' in made) return made.result;
    throw 'unreadable' in made ? new UnreadableReference(made.unreadable) : made.error;
  }
}

/** The order of a worker thread. */
export type Work =
  | { readonly speech: SpeechRequest }
  | { readonly picture: PictureRequest }
  | { readonly video: VideoRequest };

/** A worker thread's answer. */
export type Made<Result = Clip | Uint8Array> =
  | { readonly result: Result }
  | { readonly unreadable: number }
  | { readonly error: unknown };
