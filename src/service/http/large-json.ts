import { Worker } from 'node:worker_threads';

/** Bodies of at least this size are parsed in a worker thread, in bytes. */
export const largeJsonBytes = 2 ** 20;

/** The worker's JavaScript heap, in MiB. */
const maxHeap = 512;

/**
 * Parses JSON in a worker thread, because megabytes of base64 would block the event loop. Long base64 texts and data
 * URLs are returned as bytes. Resolves with `undefined` if it isn't JSON; rejects with the signal's reason. The bytes
 * are transferred, not copied, and empty afterwards.
 */
export function parseLargeJson(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<unknown> {
  const worker = new Worker(new URL('./large-json-worker.ts', import.meta.url), {
    workerData: bytes,
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: maxHeap },
  });
  return new Promise<unknown>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the worker ended without a result'));
    });
  }).finally(() => worker.terminate());
}
