import type { Clock } from '../../../lib/clock.ts';
import { ConcurrencyLimit, runInWorker } from '../../../media/index.ts';
import type { MediaTask, ShrunkImage, VoiceMetadata } from './media-tasks.ts';

export type { ShrunkImage, VoiceMetadata as VoiceShape } from './media-tasks.ts';

const worker = new URL('./media-worker.ts', import.meta.url);

export interface MediaProcessorDependencies {
  /** The machine's own time where it is left out. */
  readonly clock?: Clock;
  readonly log: { warn(data: object, message: string): void };
  /** Files that are worked on at once; 2 where it is left out. */
  readonly limit?: number;
}

/**
 * Work on images and sound that would hold up everything else: in threads of their own, a few at a time, and not
 * for long. A file is read only when it is its turn, so that waiting ones take no memory.
 */
export class MediaProcessor {
  readonly #dependencies: MediaProcessorDependencies;
  readonly #turns: ConcurrencyLimit;

  constructor(dependencies: MediaProcessorDependencies) {
    this.#dependencies = dependencies;
    this.#turns = new ConcurrencyLimit(dependencies.limit ?? 2);
  }

  /** Encodes an image anew so that it has at most `limit` bytes; undefined where that cannot be done. */
  shrinkImage(read: () => Promise<Uint8Array>, limit: number): Promise<ShrunkImage | undefined> {
    return this.#inTurn(async () => ({ kind: 'shrink', bytes: await read(), limit }));
  }

  /** Length and waveform of an Ogg Opus clip; undefined where it is none, or they cannot be told. */
  voiceMetadata(bytes: Uint8Array): Promise<VoiceMetadata | undefined> {
    return this.#inTurn(async () => ({ kind: 'voice', bytes }));
  }

  #inTurn<T>(prepare: () => Promise<MediaTask>): Promise<T | undefined> {
    const { clock, log } = this.#dependencies;
    return this.#turns.run(async () => {
      const task = await prepare();
      return runInWorker<T | undefined>(worker, task, clock).catch((error: unknown) => {
        log.warn({ error, kind: task.kind, bytes: task.bytes.byteLength }, 'a file could not be worked on');
        return undefined;
      });
    });
  }
}
