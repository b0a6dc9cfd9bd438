import { type Clock, sleep } from '../../lib/clock.ts';
import type { Account } from '../account/account.ts';
import type { MeteredCall } from '../account/meter.ts';
import type { Fault } from '../faults/faults.ts';
import { ApiError } from '../http/api-error.ts';
import type { Dependencies } from '../http/call.ts';
import { findFault, stall } from '../http/send.ts';
import type { Task, TaskOrder } from './tasks.ts';

/** How a task is rendered to a file. */
export interface Rendering {
  readonly extension: 'png' | 'mp4';
  /** Simulated milliseconds in the queue and at work, before the factor `render_time`. */
  readonly waiting: number;
  readonly working: number;
  readonly work: (onProgress: (done: number) => void, signal: AbortSignal) => Promise<Uint8Array>;
  /** What is charged when the result is ready. */
  readonly price: Omit<MeteredCall, 'requestId' | 'conversation'>;
}

/** A task to render. */
export interface AcceptedTask {
  readonly account: Account;
  readonly task: Task;
  readonly order: TaskOrder;
  readonly rendering: Rendering;
}

/** Stores a new task, then starts it, so that a restart can't lose an id that was returned. */
export async function accept(dependencies: Dependencies, accepted: AcceptedTask): Promise<void> {
  const { account, task, order } = accepted;
  task.order = order;
  await account.tasks.save(task);
  void render(dependencies, accepted);
}

/** Renders a task, from queued to succeeded or failed. Never rejects: an error fails the task. */
export async function render(dependencies: Dependencies, accepted: AcceptedTask): Promise<void> {
  const { account, task, order, rendering } = accepted;
  const signal = AbortSignal.any([dependencies.closing, task.cancelled.signal]);
  try {
    const bytes = await run(dependencies.clock, accepted, signal);
    const file = await dependencies.files.put(bytes, rendering.extension, account);
    if (order.faults.some((one) => one.kind === 'gone')) await dependencies.files.drop(file.name);
    task.file = file.name;
    task.finish('succeeded');
    const { requestId, conversation } = order;
    task.metered = { requestId, conversation, ...rendering.price, time: dependencies.clock.now() };
    account.meter.record(task.metered, task.metered.time);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ApiError)) dependencies.report(error);
    task.error = error instanceof ApiError ? error.body() : renderingFailed.body();
    task.finish('failed');
  }
  await account.tasks.save(task);
}

/** The faults of the response that creates a task; the others apply to the task. */
export function answerFaults(faults: readonly Fault[]): Fault[] {
  return faults.filter((one) => one.when !== 'during' || one.kind === 'cut' || one.kind === 'end');
}

const renderingFailed = new ApiError(500, 'The rendering failed.');

async function run(
  clock: Clock,
  { account, task, order, rendering }: AcceptedTask,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { faults } = order;
  const scale = account.behavior.renderTime;
  await simulate(clock, rendering.waiting * scale, signal);
  const delay = (findFault(faults, 'during', 'delay')?.seconds ?? 0) * 1_000;
  const working = rendering.working * scale + delay;
  const done = start(task, clock.now(), working);
  if (findFault(faults, 'during', 'error')) {
    await simulate(clock, working / 2, signal);
    throw new ApiError(500, 'The generation failed (requested by a sandbox fault).', {
      code: 'generation_failed',
    });
  }
  if (findFault(faults, 'during', 'stall')) await neverFinish(done, signal);
  const [bytes] = await Promise.all([rendering.work(done, signal), simulate(clock, working, signal)]);
  return bytes;
}

/** Marks the task as processing; its progress is the lower of the work's and the simulated time's. */
function start(task: Task, begun: number, working: number): (done: number) => void {
  let work = 0;
  task.state = 'processing';
  task.progress = (now) => {
    const time = working > 0 ? (now - begun) / working : 1;
    return Math.max(0, Math.min(work, time, 0.99));
  };
  return (done) => {
    work = done;
  };
}

/** Waits for the simulated time. */
export async function simulate(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(clock, milliseconds, signal);
}

async function neverFinish(done: (progress: number) => void, signal: AbortSignal): Promise<never> {
  done(0.45);
  return stall({ left: signal });
}
