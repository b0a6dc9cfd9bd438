import type { Clock } from '../../../lib/clock.ts';
import { inWorker, Turns } from '../../../media/index.ts';
import type { MediaTask, ShrunkImage, VoiceShape } from './tasks.ts';

export type { ShrunkImage, VoiceShape } from './tasks.ts';

const worker = new URL('./worker.ts', import.meta.url);

export interface MediaDependencies {
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
export class Media {
  readonly #dependencies: MediaDependencies;
  readonly #turns: Turns;

  constructor(dependencies: MediaDependencies) {
    this.#dependencies = dependencies;
    this.#turns = new Turns(dependencies.limit ?? 2);
  }

  /** Encodes an image anew so that it has at most `limit` bytes; undefined where that cannot be done. */
  shrinkImage(read: () => Promise<Uint8Array>, limit: number): Promise<ShrunkImage | undefined> {
    return this.#inTurn(async () => ({ kind: 'shrink', bytes: await read(), limit }));
  }

  /** Length and waveform of an Ogg Opus clip; undefined where it is none, or they cannot be told. */
  voiceShape(bytes: Uint8Array): Promise<VoiceShape | undefined> {
    return this.#inTurn(async () => ({ kind: 'voice', bytes }));
  }

  #inTurn<T>(prepare: () => Promise<MediaTask>): Promise<T | undefined> {
    const { clock, log } = this.#dependencies;
    return this.#turns.take(async () => {
      const task = await prepare();
      return inWorker<T | undefined>(worker, task, clock).catch((error: unknown) => {
        log.warn({ error, kind: task.kind, bytes: task.bytes.byteLength }, 'a file could not be worked on');
        return undefined;
      });
    });
  }
}
