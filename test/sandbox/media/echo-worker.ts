import { serve } from '../../../src/sandbox/media/worker-queue.ts';

/** What the worker is to do with its job; `hang` never ends. */
export type EchoJob = { readonly say: string } | { readonly fail: string } | 'crash' | 'exit' | 'hang';

let jobs = 0;

serve(async (job: EchoJob, onProgress) => {
  jobs++;
  onProgress(0.5);
  if (job === 'crash')
    setImmediate(() => {
      throw new TypeError('crashed');
    });
  if (job === 'exit') process.exit(3);
  if (typeof job === 'string') return new Promise<never>(() => setInterval(() => {}, 1000));
  if ('fail' in job) throw new RangeError(job.fail);
  return { said: job.say, jobs, bytes: new Uint8Array(4) };
});
