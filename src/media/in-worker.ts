import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../clock.ts';

/** Work on one file may take so long, in milliseconds. */
export const mediaTimeLimit = 30_000;
/** JavaScript objects of a worker, in MiB; the files themselves lie outside of it. */
const heap = 512;

/** Work on a file that took too long, or that its thread did not live through. */
export class MediaWorkError extends Error {
  override name = 'MediaWorkError';
}

/**
 * Has a thread of its own work on `data`, so that nothing else is held up, and ends it after 30 s; resolves with
 * the first message it sends. A thread works at the machine's pace, whatever clock the rest of the bot goes by.
 * @throws {MediaWorkError}
 */
export function inWorker<T>(file: URL, data: unknown, clock: Clock = systemClock): Promise<T> {
  const worker = new Worker(file, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: heap } });
  return new Promise<T>((resolve, reject) => {
    const fail = (why: string, cause?: unknown) => {
      cancel();
      reject(new MediaWorkError(why, { cause }));
    };
    const cancel = clock.after(mediaTimeLimit, () => {
      fail('it took too long');
      void worker.terminate();
    });
    worker.once('message', (result: T) => {
      cancel();
      resolve(result);
    });
    worker.once('error', (error) => fail('it could not be done', error));
    worker.once('exit', () => fail('its thread ended with no result'));
  });
}
