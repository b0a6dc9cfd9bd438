import { type Clock, sleep } from '../../lib/clock.ts';
import type { Account } from '../account.ts';
import type { Fault } from '../faults.ts';
import { ApiError } from '../http/api-error.ts';
import type { Dependencies } from '../http/call.ts';
import { findFault, stall } from '../http/send.ts';
import type { MeteredCall } from '../meter.ts';
import type { Task, TaskOrder } from './tasks.ts';

/** How a task becomes a file. */
export interface Rendering {
  readonly extension: 'png' | 'mp4';
  /** Milliseconds it pretends to wait and to work, before the account's `render_time`. */
  readonly waiting: number;
  readonly working: number;
  readonly work: (onProgress: (done: number) => void, signal: AbortSignal) => Promise<Uint8Array>;
  /** What is metered once, when the result is ready. */
  readonly price: Omit<MeteredCall, 'requestId' | 'conversation'>;
}

/** A task that is to be carried out. */
export interface Accepted {
  readonly account: Account;
  readonly task: Task;
  readonly order: TaskOrder;
  readonly rendering: Rendering;
}

/** Takes a new task on. It is kept first: nobody is told an id that a restart would lose. */
export async function accept(dependencies: Dependencies, accepted: Accepted): Promise<void> {
  const { account, task, order } = accepted;
  task.order = order;
  await account.tasks.keep(task);
  void render(dependencies, accepted);
}

/** Takes a task from queued to succeeded or failed. Never rejects: what goes wrong is the task's failure. */
export async function render(dependencies: Dependencies, accepted: Accepted): Promise<void> {
  const { account, task, order, rendering } = accepted;
  const signal = AbortSignal.any([dependencies.closing, task.cancelled.signal]);
  try {
    const bytes = await carryOut(dependencies.clock, accepted, signal);
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
    task.error = error instanceof ApiError ? error.body() : brokeDown.body();
    task.finish('failed');
  }
  await account.tasks.keep(task);
}

/** What goes wrong with the answer that tells a task's id; the rest goes wrong with the task. */
export function answerFaults(faults: readonly Fault[]): Fault[] {
  return faults.filter((one) => one.when !== 'during' || one.kind === 'cut' || one.kind === 'end');
}

const brokeDown = new ApiError(500, 'The rendering broke down.');

async function carryOut(
  clock: Clock,
  { account, task, order, rendering }: Accepted,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { faults } = order;
  const scale = account.switches.renderTime;
  await pretend(clock, rendering.waiting * scale, signal);
  const delay = (findFault(faults, 'during', 'delay')?.seconds ?? 0) * 1_000;
  const working = rendering.working * scale + delay;
  const done = start(task, clock.now(), working);
  if (findFault(faults, 'during', 'error')) {
    await pretend(clock, working / 2, signal);
    throw new ApiError(500, 'The generation failed, as the sandbox was asked to.', {
      code: 'generation_failed',
    });
  }
  if (findFault(faults, 'during', 'stall')) await neverFinish(done, signal);
  const [bytes] = await Promise.all([rendering.work(done, signal), pretend(clock, working, signal)]);
  return bytes;
}

/** Sets the task going; its progress is that of the work or of the pretended time, whichever is behind. */
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

/** Takes time, where there is any to take. */
export async function pretend(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(clock, milliseconds, signal);
}

async function neverFinish(done: (progress: number) => void, signal: AbortSignal): Promise<never> {
  done(0.45);
  return stall({ left: signal });
}
