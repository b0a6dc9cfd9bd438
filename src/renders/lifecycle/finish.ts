import type { Job } from '../../port/index.ts';
import type { Render } from '../render.ts';
import { deliver } from '../result/delivery.ts';
import { presentationOf } from '../result/presenter.ts';
import type { LifecycleContext } from './lifecycle-context.ts';
import { settle } from './settle.ts';

/** Puts a render's end on the ledger, then tells people. `go on` where its state changed on the way. */
export async function finish(context: LifecycleContext, render: Render, job: Job): Promise<'go on' | 'over'> {
  const { credits, adapters, presenters, spool, stop: signal, clock, troubles, log } = context.dependencies;
  // Before people are told, and again after a crash: each end counts once.
  await settle(credits.ofJob(render.id), render);
  const isReady = render.state === 'ready';
  if (isReady && !(await spool.has(render.id))) {
    if (render.taskId) await context.record({ state: 'waiting' });
    else await context.recordFault({ code: 'result-gone' });
    return 'go on';
  }
  const delivered = await deliver({
    render,
    job,
    adapter: () => adapters(render.message.platform),
    presentation: presentationOf(presenters, render, job),
    spool,
    signal,
    clock,
    troubles,
    log,
  });
  if ('fault' in delivered && isReady) {
    await context.recordFault(delivered.fault);
    return 'go on';
  }
  // Where nobody can be told any more, nothing is left to do either.
  const at = 'at' in delivered ? delivered.at : render.message;
  await context.record({ delivered: at, ...(isReady && { state: 'delivered' as const }) });
  await spool.remove(render.id).catch(() => {});
  return 'over';
}
