import type { Account } from '../account/account.ts';
import type { Fault } from '../faults/faults.ts';
import { type Charge, type Services, wait } from '../http/call.ts';
import { ApiError } from '../http/parameters.ts';
import { findFault, stall } from '../http/send.ts';
import type { OnProgress } from '../media/studio.ts';
import type { Task, TaskOrder } from './tasks.ts';

/** How a task is rendered to a file. */
export interface Rendering {
  readonly extension: 'png' | 'mp4';
  /** Simulated milliseconds in the queue and at work, before the factor `render_time`. */
  readonly waiting: number;
  readonly working: number;
  readonly work: (onProgress: OnProgress, signal: AbortSignal) => Promise<Uint8Array>;
  /** What is charged when the result is ready. */
  readonly charge: Charge;
}

/** A task to render. */
export interface AcceptedTask {
  readonly account: Account;
  readonly task: Task;
  readonly order: TaskOrder;
  readonly rendering: Rendering;
}

/** Stores a new task, then starts it, so that a restart can't lose an id that was returned. */
export async function accept(services: Services, accepted: AcceptedTask): Promise<void> {
  const { account, task, order } = accepted;
  task.order = order;
  await account.tasks.save(task);
  void render(services, accepted);
}

/** Renders a task, from queued to succeeded or failed. Never rejects: an error fails the task. */
export async function render(services: Services, accepted: AcceptedTask): Promise<void> {
  const { clock, files, closing, report } = services;
  const { account, task, order, rendering } = accepted;
  const signal = AbortSignal.any([closing, task.cancelled.signal]);
  try {
    const bytes = await run(services, accepted, signal);
    const file = await files.put(bytes, rendering.extension, account);
    if (order.faults.some((one) => one.kind === 'gone')) await files.drop(file.name);
    task.file = file.name;
    task.finish('succeeded');
    const { requestId, conversation } = order;
    task.metered = { requestId, conversation, ...rendering.charge, time: clock.now() };
    account.meter.record(task.metered, task.metered.time);
  } catch (error) {
    if (signal.aborted) return;
    const failure = error instanceof ApiError ? error : new ApiError(500, 'The rendering failed.');
    if (failure !== error) report(error);
    task.error = failure.body();
    task.finish('failed');
  }
  await account.tasks.save(task);
}

/** The faults of the response that creates a task; the others apply to the task. */
export function answerFaults(faults: readonly Fault[]): Fault[] {
  return faults.filter((one) => one.when !== 'during' || one.kind === 'cut' || one.kind === 'end');
}

async function run({ clock }: Services, accepted: AcceptedTask, signal: AbortSignal): Promise<Uint8Array> {
  const { account, task, order, rendering } = accepted;
  const scale = account.behavior.renderTime;
  await wait(clock, rendering.waiting * scale, signal);
  const delay = (findFault(order.faults, 'during', 'delay')?.seconds ?? 0) * 1_000;
  const working = rendering.working * scale + delay;
  const begun = clock.now();
  let done = 0;
  task.state = 'processing';
  // The lower of the work's and the simulated time's.
  task.progress = (now) => {
    const time = working > 0 ? (now - begun) / working : 1;
    return Math.max(0, Math.min(done, time, 0.99));
  };
  if (findFault(order.faults, 'during', 'error')) {
    await wait(clock, working / 2, signal);
    throw new ApiError(500, 'The generation failed (requested by a sandbox fault).', {
      code: 'generation_failed',
    });
  }
  if (findFault(order.faults, 'during', 'stall')) {
    done = 0.45;
    await stall({ left: signal });
  }
  const work = rendering.work((progress) => {
    done = progress;
  }, signal);
  const [bytes] = await Promise.all([work, wait(clock, working, signal)]);
  return bytes;
}
