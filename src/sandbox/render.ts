import { type Clock, sleep } from '../clock.ts';
import type { Account } from './account.ts';
import { ApiError } from './api-error.ts';
import type { Parts } from './call.ts';
import type { Fault } from './faults.ts';
import { findFault, stall } from './send.ts';
import type { Task } from './tasks.ts';

/** How a task becomes a file. */
export interface Rendering {
  readonly account: Account;
  readonly extension: 'png' | 'mp4';
  /** Milliseconds it pretends to wait and to work, before the account's `render_time`. */
  readonly waiting: number;
  readonly working: number;
  readonly faults: readonly Fault[];
  readonly work: (onProgress: (done: number) => void, signal: AbortSignal) => Promise<Uint8Array>;
  /** Called once, when the result is ready: this is when it is metered. */
  readonly onReady: () => void;
}

/** Takes a task from queued to succeeded or failed. Never rejects: what goes wrong is the task's failure. */
export async function render(parts: Parts, task: Task, rendering: Rendering): Promise<void> {
  const signal = AbortSignal.any([parts.closing, task.cancelled.signal]);
  try {
    const bytes = await carryOut(parts.clock, task, rendering, signal);
    const file = await parts.files.put(bytes, rendering.extension, rendering.account);
    if (rendering.faults.some((one) => one.kind === 'gone')) await parts.files.drop(file.name);
    task.file = file.name;
    finish(task, 'succeeded');
    rendering.onReady();
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof ApiError)) parts.report(error);
    task.error = error instanceof ApiError ? error.body() : brokeDown.body();
    finish(task, 'failed');
  }
}

/** What goes wrong with the answer that tells a task's id; the rest goes wrong with the task. */
export function answerFaults(faults: readonly Fault[]): Fault[] {
  return faults.filter((one) => one.when !== 'during' || one.kind === 'cut' || one.kind === 'end');
}

const brokeDown = new ApiError(500, 'The rendering broke down.');

async function carryOut(
  clock: Clock,
  task: Task,
  rendering: Rendering,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { faults } = rendering;
  const scale = rendering.account.switches.renderTime;
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

function finish(task: Task, state: 'succeeded' | 'failed'): void {
  const progress = state === 'succeeded' ? 1 : task.progress(Number.POSITIVE_INFINITY);
  task.progress = () => progress;
  task.state = state;
}
