import type { PictureRequest } from './drawing/picture.ts';
import type { FilmRequest, OnProgress } from './film/make-film.ts';
import { Lane } from './lanes/lane.ts';
import type { Clip } from './speech/formats/clip.ts';
import type { SpeechRequest } from './speech/narrate.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Makes the sandbox's media. All work happens on worker threads, those of speech, pictures and films apart,
 * so that nothing waits behind a long video and the caller's event loop stays free.
 */
export class MediaStudio {
  readonly #speech = new Lane<SpeechRequest, Clip>({
    script: new URL('./speech/worker.ts', import.meta.url),
    workers: 2,
    oneJobEach: false,
  });
  readonly #pictures = new Lane<PictureRequest, { bytes: Bytes }>({
    script: new URL('./drawing/worker.ts', import.meta.url),
    workers: 1,
    oneJobEach: true,
  });
  readonly #films = new Lane<FilmRequest, { bytes: Bytes }>({
    script: new URL('./film/worker.ts', import.meta.url),
    workers: 1,
    oneJobEach: true,
  });

  /** Speaks a text into a sound file. @throws RangeError for an unknown voice, and as `Lane.run` does */
  speak(request: SpeechRequest, signal?: AbortSignal): Promise<Clip> {
    return this.#speech.run(request, { signal });
  }

  /** Draws a PNG. @throws UnreadableReference, and as `Lane.run` does */
  async draw(request: PictureRequest, signal?: AbortSignal): Promise<Bytes> {
    return (await this.#pictures.run(request, { signal })).bytes;
  }

  /** Films an MP4; `onProgress` hears numbers from 0 to 1. @throws UnreadableReference, and as `Lane.run` does */
  async film(request: FilmRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Bytes> {
    return (await this.#films.run(request, { onProgress, signal })).bytes;
  }

  /** Ends all workers; what they were doing fails with LaneClosed. */
  async close(): Promise<void> {
    await Promise.all([this.#speech.close(), this.#pictures.close(), this.#films.close()]);
  }
}
