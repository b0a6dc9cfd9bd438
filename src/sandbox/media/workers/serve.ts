import { parentPort } from 'node:worker_threads';
import { failureOf, type Message } from './messages.ts';

/** Runs jobs on this worker thread, one at a time; the result's bytes are transferred, not copied. */
export function serve<Job, Result extends { readonly bytes: Uint8Array<ArrayBuffer> }>(
  work: (job: Job, onProgress: (progress: number) => void) => Promise<Result>,
): void {
  const say = (message: Message<Result>, handedOver: ArrayBuffer[] = []) =>
    parentPort?.postMessage(message, handedOver);
  parentPort?.on('message', async (job: Job) => {
    try {
      const result = await work(job, (progress) => say({ kind: 'progress', progress }));
      say({ kind: 'result', result }, [result.bytes.buffer]);
    } catch (error) {
      say({ kind: 'failure', failure: failureOf(error) });
    }
  });
}
