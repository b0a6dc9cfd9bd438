import { serve } from '../../src/media/index.ts';

/** What the worker is to do with its task; `hang` never ends, and `nothing` comes to nothing. */
export type EchoTask = {
  readonly bytes?: Uint8Array;
  readonly how?: 'throw' | 'crash' | 'exit' | 'hang' | 'nothing';
};

let tasks = 0;

serve(async ({ how }: EchoTask, onProgress) => {
  tasks++;
  onProgress(0.5);
  if (how === 'throw') throw new RangeError('broken file');
  if (how === 'exit') process.exit(3);
  if (how === 'crash')
    setImmediate(() => {
      throw new TypeError('crashed');
    });
  if (how === 'hang' || how === 'crash') return new Promise<never>(() => setInterval(() => {}, 1000));
  return how === 'nothing' ? undefined : { tasks };
});
