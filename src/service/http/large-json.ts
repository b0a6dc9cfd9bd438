import { Worker } from 'node:worker_threads';

/** Bodies from this size on are parsed in a thread, in bytes. */
export const largeJsonBytes = 2 ** 20;

/**
 * Parses JSON in a thread of its own: megabytes of base64 would hold up the event loop for too long. Long base64
 * texts and data URLs come back as their bytes. `undefined` where it is no JSON; rejects with the signal's reason.
 * The bytes are handed over, not copied, and empty afterwards.
 */
export function parseLargeJson(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<unknown> {
  const worker = new Worker(new URL('./large-json-worker.ts', import.meta.url), {
    workerData: bytes,
    transferList: [bytes.buffer],
  });
  return new Promise<unknown>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the thread ended without a result'));
    });
  }).finally(() => worker.terminate());
}
