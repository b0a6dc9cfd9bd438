import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../lib/clock.ts';

/** Milliseconds that work on one file may take. */
export const mediaTimeLimit = 30_000;
/** A worker's JavaScript heap, in MiB; the files themselves aren't part of it. */
const maxHeap = 512;

/** Bytes of a file that are copied at a time, which takes about a millisecond. */
const chunkBytes = 4 * 2 ** 20;

/** Work on a file took too long, or its thread crashed. */
export class MediaWorkError extends Error {
  override name = 'MediaWorkError';
}

/**
 * Processes `data` in a worker thread that is ended after 30 s; resolves with the first message it posts. A thread runs
 * in real time, whatever clock the rest of the bot uses.
 * @throws {MediaWorkError}
 */
export function runInWorker<T>(
  file: URL,
  data: { readonly bytes: Uint8Array; readonly [option: string]: unknown },
  clock: Clock = systemClock,
): Promise<T> {
  const ended = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const fail = (why: string, cause?: unknown) => {
      cancel();
      reject(new MediaWorkError(why, { cause }));
    };
    const cancel = clock.after(mediaTimeLimit, () => {
      fail('it took too long');
      ended.abort();
    });
    const begin = (bytes: Uint8Array<ArrayBuffer>) => {
      if (ended.signal.aborted) return;
      const worker = startThread(file, { ...data, bytes });
      ended.signal.addEventListener('abort', () => void worker.terminate(), { once: true });
      worker.once('message', (result: T) => {
        cancel();
        resolve(result);
      });
      worker.once('error', (error) => fail('it failed', error));
      worker.once('exit', () => fail('its thread ended without a result'));
    };
    copyOf(data.bytes)
      .then(begin)
      .catch((error: unknown) => fail('it failed', error));
  });
}

function startThread(file: URL, workerData: { readonly bytes: Uint8Array<ArrayBuffer> }): Worker {
  return new Worker(file, {
    workerData,
    transferList: [workerData.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: maxHeap },
  });
}

/** A copy that can be transferred to a thread, made without blocking: the original may still be needed. */
async function copyOf(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) {
    if (at > 0) await setImmediate();
    copy.set(bytes.subarray(at, at + chunkBytes), at);
  }
  return copy;
}

/** Limits how many tasks run at once; the others wait in order. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
