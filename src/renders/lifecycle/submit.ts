import { sleep } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { adapterOf, type Job, type PlatformError, type RefusalKind, refusalOf } from '../../port/index.ts';
import type { TaskStatus } from '../../service/index.ts';
import type { Render } from '../render.ts';
import { presentationOf } from '../result/presenter.ts';
import { fetchOrRetry, withRetries } from './fetch.ts';
import type { LifecycleContext } from './lifecycle-context.ts';
import { looksInVain, untilNextLook } from './patience.ts';
import { send } from './send.ts';

/** Sends a render's request to the service, once; unless what asked for it was deleted. */
export async function submit(context: LifecycleContext, reserved: Render, job: Job): Promise<void> {
  const { credits } = context.dependencies;
  if (job.deleted) return context.recordFault({ code: 'canceled' });
  const render = await withProgressMessage(context, reserved, job);
  if (!render) return;
  const task = await send(context, render, job);
  if (!task) return;
  await context.persistently(() => credits.ofJob(render.id).noteRequest(task.requestId));
  await context.record({ state: 'waiting', ...(task.id !== undefined && { taskId: task.id }) });
  if (task.status.state !== 'ready') return;
  if (task.id === undefined) return fetchUnnamed(context, render, task.status);
  await withRetries(context, render, () => fetchOrRetry(context, render, task.status));
}

/** What a place refuses the message that shows the progress for, and so the result as well. */
const shut: readonly (RefusalKind | undefined)[] = [
  'not-a-member',
  'no-permission',
  'gone',
  'deleted',
  'expired',
];

/**
 * Opens the message that shows the progress; undefined where its place is shut, while nothing is spent yet. Where it fails
 * otherwise, the render stays with the message it began with.
 */
async function withProgressMessage(
  context: LifecycleContext,
  render: Render,
  job: Job,
): Promise<Render | undefined> {
  const { presenters, posted, store, log } = context.dependencies;
  const adapter = adapterOf(context.dependencies, render.message);
  try {
    const message = await presentationOf(presenters, [render], job).openProgress?.(adapter);
    if (!message) return render;
    await store.change(render.id, { message });
    await posted?.(job, message);
    return { ...render, message };
  } catch (error) {
    if (isLocal(error)) throw error;
    log.warn({ render: render.id, error }, 'a render could not get a message of its own');
    const kind = refusalOf(error);
    if (!kind || !shut.includes(kind)) return render;
    const { detail } = error as PlatformError;
    await context.recordFault({ code: 'no-place', kind, ...(detail !== undefined && { detail }) });
    return undefined;
  }
}

/** A result without a task's id cannot be asked for again, so it is fetched here or never. */
async function fetchUnnamed(context: LifecycleContext, render: Render, status: TaskStatus): Promise<void> {
  const { clock, stop, store } = context.dependencies;
  for (let attempts = 0; attempts <= looksInVain; attempts++) {
    if (attempts > 0) await sleep(clock, untilNextLook(attempts), stop);
    const now = { ...render, attempts };
    await context.persistently(() => withRetries(context, now, () => fetchOrRetry(context, now, status)));
    if ((await context.persistently(() => store.find(render.id)))?.state !== 'waiting') return;
  }
}
