import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../lib/clock.ts';

/** Work on one file may take so long, in milliseconds. */
export const mediaTimeLimit = 30_000;
/** JavaScript objects of a worker, in MiB; the files themselves lie outside of it. */
const heap = 512;

/** So much of a file is copied at a time, in bytes: what takes about a millisecond. */
const piece = 4 * 2 ** 20;

/** Work on a file that took too long, or that its thread did not live through. */
export class MediaWorkError extends Error {
  override name = 'MediaWorkError';
}

/**
 * Has a thread of its own work on `data`, so that nothing else is held up, and ends it after 30 s; resolves with
 * the first message it sends. A thread works at the machine's pace, whatever clock the rest of the bot goes by.
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
      worker.once('error', (error) => fail('it could not be done', error));
      worker.once('exit', () => fail('its thread ended with no result'));
    };
    copyOf(data.bytes)
      .then(begin)
      .catch((error: unknown) => fail('it could not be done', error));
  });
}

function startThread(file: URL, workerData: { readonly bytes: Uint8Array<ArrayBuffer> }): Worker {
  return new Worker(file, {
    workerData,
    transferList: [workerData.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: heap },
  });
}

/** A copy that a thread can be given as its own, without holding anything else up; the file itself may be needed yet. */
async function copyOf(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += piece) {
    if (at > 0) await setImmediate();
    copy.set(bytes.subarray(at, at + piece), at);
  }
  return copy;
}
