import type { Clock } from '../../../lib/clock.ts';
import { ConcurrencyLimit, runInWorker } from '../../../media/index.ts';
import type { MediaTask, ShrunkImage, VoiceMetadata } from './media-worker.ts';

const worker = new URL('./media-worker.ts', import.meta.url);

export interface MediaProcessorDependencies {
  /** The system clock by default. */
  readonly clock?: Clock;
  readonly log: { warn(data: object, message: string): void };
  /** Files that are processed at once; 2 by default. */
  readonly limit?: number;
}

/**
 * Processes images and sound in worker threads, a few at a time and with a time limit. A file is read only when its
 * turn comes, so that waiting ones take no memory.
 */
export class MediaProcessor {
  readonly #dependencies: MediaProcessorDependencies;
  readonly #limit: ConcurrencyLimit;

  constructor(dependencies: MediaProcessorDependencies) {
    this.#dependencies = dependencies;
    this.#limit = new ConcurrencyLimit(dependencies.limit ?? 2);
  }

  /** Re-encodes an image to at most `limit` bytes; undefined if that isn't possible. */
  shrinkImage(read: () => Promise<Uint8Array>, limit: number): Promise<ShrunkImage | undefined> {
    return this.#process(async () => ({ kind: 'shrink', bytes: await read(), limit }));
  }

  /** Length and waveform of an Ogg Opus clip; undefined if it isn't one or can't be read. */
  voiceMetadata(bytes: Uint8Array): Promise<VoiceMetadata | undefined> {
    return this.#process(async () => ({ kind: 'voice', bytes }));
  }

  #process<T>(prepare: () => Promise<MediaTask>): Promise<T | undefined> {
    const { clock, log } = this.#dependencies;
    return this.#limit.run(async () => {
      const task = await prepare();
      return runInWorker<T | undefined>(worker, task, clock).catch((error: unknown) => {
        log.warn({ error, kind: task.kind, bytes: task.bytes.byteLength }, 'a file could not be processed');
        return undefined;
      });
    });
  }
}
