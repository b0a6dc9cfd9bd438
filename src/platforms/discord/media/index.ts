import { Worker } from 'node:worker_threads';
import type { MediaTask, ShrunkImage, VoiceShape } from './tasks.ts';

export type { ShrunkImage, VoiceShape } from './tasks.ts';

/** Work on images and sound that would hold up everything else: in threads of their own, a few at a time. */
export class Media {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit = 2) {
    this.#limit = limit;
  }

  /** Encodes an image anew so that it has at most `limit` bytes. */
  shrinkImage(bytes: Uint8Array, limit: number): Promise<ShrunkImage | undefined> {
    return this.#inTurn({ kind: 'shrink', bytes, limit });
  }

  /** Length and waveform of an Ogg Opus clip. */
  voiceShape(bytes: Uint8Array): Promise<VoiceShape | undefined> {
    return this.#inTurn({ kind: 'voice', bytes });
  }

  async #inTurn<T>(task: MediaTask): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await inThread<T>(task);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

function inThread<T>(task: MediaTask): Promise<T> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
  return new Promise<T>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the media worker ended with ${code} and no result`)));
  });
}
