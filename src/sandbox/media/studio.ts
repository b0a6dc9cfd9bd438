import type { PictureRequest } from './drawing/picture.ts';
import type { Clip } from './speech/formats/clip.ts';
import type { SpeechRequest } from './speech/narrate.ts';
import type { OnProgress, VideoRequest } from './video/render-video.ts';
import { WorkerPool } from './workers/worker-pool.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Makes the sandbox's media. All work happens on worker threads, those of speech, pictures and films apart,
 * so that nothing waits behind a long video and the caller's event loop stays free.
 */
export class MediaStudio {
  readonly #speech = new WorkerPool<SpeechRequest, Clip>({
    script: new URL('./speech/worker.ts', import.meta.url),
    workers: 2,
    oneJobEach: false,
  });
  readonly #pictures = new WorkerPool<PictureRequest, { bytes: Bytes }>({
    script: new URL('./drawing/worker.ts', import.meta.url),
    workers: 1,
    oneJobEach: true,
  });
  readonly #films = new WorkerPool<VideoRequest, { bytes: Bytes }>({
    script: new URL('./video/worker.ts', import.meta.url),
    workers: 1,
    oneJobEach: true,
  });

  /** Speaks a text to an audio file. @throws RangeError for an unknown voice, and as `WorkerPool.run` does */
  speak(request: SpeechRequest, signal?: AbortSignal): Promise<Clip> {
    return this.#speech.run(request, { signal });
  }

  /** Draws a PNG. @throws UnreadableReference, and as `WorkerPool.run` does */
  async draw(request: PictureRequest, signal?: AbortSignal): Promise<Bytes> {
    return (await this.#pictures.run(request, { signal })).bytes;
  }

  /** Renders an MP4; `onProgress` gets numbers from 0 to 1. @throws UnreadableReference, and as `WorkerPool.run` does */
  async film(request: VideoRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Bytes> {
    return (await this.#films.run(request, { onProgress, signal })).bytes;
  }

  /** Terminates all workers; their jobs fail with PoolClosed. */
  async close(): Promise<void> {
    await Promise.all([this.#speech.close(), this.#pictures.close(), this.#films.close()]);
  }
}
