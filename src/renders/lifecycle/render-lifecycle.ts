import { spread, waitAfter } from '../../lib/clock.ts';
import { untilHeard } from '../../port/index.ts';
import { type LifecycleContext, localWaits } from '../dependencies.ts';
import { TakenOverError } from '../render-store.ts';
import { finish } from './finish.ts';
import { pollOrWait } from './poll.ts';
import { submit } from './submit.ts';

/**
 * Takes one render from state to state, until it has to wait or its outcome is posted. A step that fails on this machine
 * is retried until it works; nothing waits for a restart. Resolves with the milliseconds after which to continue, or says
 * that nothing is left to do, or that another process has it by now.
 * @throws the stop signal's reason when that is aborted.
 */
export async function advance(context: LifecycleContext): Promise<number | 'over' | 'taken over'> {
  const { pending, work, dependencies } = context;
  const { stop, troubles, clock } = dependencies;
  try {
    for (let isLate = true; ; isLate = false) {
      stop.throwIfAborted();
      const next = await step(context, isLate);
      // Waiting for the next query proves nothing about this machine yet.
      if (typeof next === 'number') return next;
      if (pending.failures > 0) troubles.clear(work);
      pending.failures = 0;
      if (next === 'over') return next;
    }
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof TakenOverError) return 'taken over';
    context.noteFailure(error);
    pending.failures += 1;
    return spread(waitAfter(pending.failures, localWaits), clock);
  }
}

/** `isLate`: how it stands has been so for a while, maybe in another process; it hasn't come to that just now. */
async function step(context: LifecycleContext, isLate: boolean): Promise<number | 'go on' | 'over'> {
  const { pending, dependencies } = context;
  const { jobs, store, log, makeRoom, watch } = dependencies;
  const render = await store.findInHand(pending.id);
  const job = render && (await jobs.find(render.job));
  if (!job || !render) {
    log.warn({ render: pending.id }, 'a render is not on record, so nobody can be told about it');
    return 'over';
  }
  if (render.state === 'waiting') return watch.untraced(() => pollOrWait(context, render, job));
  makeRoom();
  if (!(await context.isHeard(job))) return untilHeard;
  const kind = { 'troupe.kind': render.kind };
  switch (render.state) {
    case 'reserved':
      await watch.step(job.id, 'render submit', kind, () => submit(context, render, job));
      return 'go on';
    case 'submitting':
      // The process that sent it died, and the request may have arrived: it's never sent again automatically.
      await context.record({ state: 'uncertain' });
      return 'go on';
    default:
      return watch.step(job.id, 'render end', { ...kind, 'troupe.state': render.state }, () =>
        finish(context, render, job, isLate),
      );
  }
}
