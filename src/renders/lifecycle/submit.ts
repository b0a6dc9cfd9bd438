import { sleep } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { channelKey, type Job, PlatformError } from '../../port/index.ts';
import type { CallOptions, TaskRef, TaskStatus } from '../../service/index.ts';
import { looksInVain, untilNextLook } from '../polling/patience.ts';
import type { Render } from '../render.ts';
import { presentationOf } from '../result/presenter.ts';
import { fetchOrRetry, withRetries } from './fetch.ts';
import type { LifecycleContext } from './lifecycle-context.ts';
import { afterFailedSubmit } from './submit-failure.ts';

/** Sends a render's request to the service, once. */
export async function submit(context: LifecycleContext, reserved: Render, job: Job): Promise<void> {
  const { store, credits } = context.dependencies;
  const render = await withProgressMessage(context, reserved, job);
  await store.change(render.id, { state: 'submitting' });
  const task = await send(context, render, job);
  if (!task) return;
  await context.persistently(() => credits.ofJob(render.id).noteRequest(task.requestId));
  await context.record({ state: 'waiting', ...(task.id !== undefined && { taskId: task.id }) });
  if (task.status.state !== 'ready') return;
  if (task.id === undefined) return fetchUnnamed(context, render, task.status);
  await withRetries(context, render, () => fetchOrRetry(context, render, task.status));
}

/** Opens the message that shows the progress; where that fails, the render stays with the message it began with. */
async function withProgressMessage(context: LifecycleContext, render: Render, job: Job): Promise<Render> {
  const { adapters, presenters, store, log } = context.dependencies;
  const adapter = adapters(render.message.platform);
  if (!adapter) throw new PlatformError('unreachable', `${render.message.platform} is not running`);
  try {
    const message = await presentationOf(presenters, render, job).openProgress?.(adapter);
    if (!message) return render;
    await store.change(render.id, { message });
    return { ...render, message };
  } catch (error) {
    if (isLocal(error)) throw error;
    log.warn({ render: render.id, error }, 'a render could not get a message of its own');
    return render;
  }
}

/** Undefined where it failed, which is recorded then. */
async function send(context: LifecycleContext, render: Render, job: Job): Promise<TaskRef | undefined> {
  const { progress, log, service } = context.dependencies;
  // Not cancelled by a shutdown: a request cut off in the middle may have been paid for.
  const options: CallOptions = {
    conversationId: render.conversationId,
    fairnessKey: channelKey(job.address),
    onWait: (position) => void progress.show(render, job, { position }),
  };
  try {
    return render.kind === 'image'
      ? await service.images.submit(render.request, options)
      : await service.videos.submit(render.request, options);
  } catch (error) {
    log.warn({ render: render.id, error }, 'a render was not accepted');
    await context.record(afterFailedSubmit(error));
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
