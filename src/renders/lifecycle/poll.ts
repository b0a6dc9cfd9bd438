import { waitAfter } from '../../lib/clock.ts';
import { type Job, type MessageAddress, PlatformError } from '../../port/index.ts';
import { ratesPerMinute } from '../../service-rules/limits.ts';
import {
  ContentRefusedError,
  LastingState,
  NotFoundError,
  ServerError,
  ServiceError,
  type TaskStatus,
} from '../../service/index.ts';
import { words } from '../../words/index.ts';
import type { CourseDependencies, LifecycleContext } from '../dependencies.ts';
import type { PendingRender } from '../queue.ts';
import type { OpenRender, Render, RenderFault, RenderKind } from '../render.ts';
import { presentationOf } from '../result/presenter.ts';
import { fetchOrRetry, isOfKey, tryFetch, untilNextLook, withRetries } from './fetch.ts';

const minute = 60_000;

/** Running time a render usually stays under, in milliseconds; after that people are told that it takes long. */
const usual: Record<RenderKind, number> = { image: 15 * minute, video: 60 * minute };

/**
 * Running time after which a render is given up, in milliseconds. It's paid for, so it's polled long after it's late;
 * time while this process or the service is down doesn't count.
 */
const patience = 24 * 60 * minute;

/**
 * Running time after which a render is given up if the service never says anything useful about it, in milliseconds.
 * A service may be down for days; after the first day it's polled once an hour.
 */
const longestSilence = 7 * 24 * 60 * minute;

/** Milliseconds until the next question after so many in a row were not answered, for `unanswered` milliseconds. */
function untilNextQuery(inVain: number, unanswered: number): number {
  return waitAfter(Math.max(1, inVain), {
    first: 2_000,
    longest: unanswered >= patience ? 60 * minute : minute,
  });
}

/** Why a render ends of which the service has said nothing for too long. */
const silence: RenderFault = { code: 'unanswered', days: Math.round(longestSilence / 86_400_000) };

/** How one ends that the service doesn't know any more. */
const gone = { fault: { code: 'task-gone' } } as const;

/** The result of a status query. */
interface Heard {
  /** 0 to 1. */
  readonly fraction?: number | undefined;
  /** How the render ends where its time is over by now. */
  readonly fault?: RenderFault;
}

/** Asks the service about a render when it is time to, or resolves with the milliseconds until then. */
export async function pollOrWait(
  context: LifecycleContext,
  render: Render,
  job: Job,
): Promise<number | 'go on'> {
  const { pending, dependencies } = context;
  const { spacing } = pending;
  if (spacing === undefined) {
    pending.spacing = spacingOf(render, pending, dependencies);
    return pending.spacing;
  }
  pending.spacing = undefined;
  await poll(context, await movedBeforeClosing(context, render, job), job, spacing);
  return 'go on';
}

async function poll(context: LifecycleContext, render: Render, job: Job, spacing: number): Promise<void> {
  const { taskId } = render;
  const { erring = 0 } = context.pending;
  context.pending.erring = undefined;
  const waited = render.waited + spacing;
  // Finished at once without a task id: what wasn't fetched then can't be requested again.
  if (taskId === undefined) return context.recordFault({ code: 'result-gone' });
  const failed = (reason?: string) => context.recordFault({ code: 'failed', ...(reason && { reason }) });
  const query = async () => {
    const answered = await queryStatus(context, render, taskId);
    context.pending.lastingState ??= new LastingState();
    const status = context.pending.lastingState.read(answered);
    if (status.isGone && context.isOfOtherAccount) return keepWaiting(context, render, job, waited, gone);
    if (status.isGone) return context.recordFault(gone.fault);
    context.noteKnown();
    if (status.state === 'failed') return failed(status.error);
    const goingOn = { ...render, attempts: 0 };
    const heard = { fraction: status.progress };
    if (answered.unclear) {
      if (status.state === 'ready' && (await isThere(context, render, status))) return;
      return hearNothing(context, goingOn, job, spacing, heard);
    }
    if (status.state === 'ready') return fetchOrRetry(context, render, status);
    await keepWaiting(context, goingOn, job, waited, heard);
  };
  const faultOf = (error: ServiceError): Heard => {
    if (error instanceof NotFoundError) return gone;
    return error.operation === 'download' ? { fault: { code: 'result-gone' } } : {};
  };
  await withRetries(context, render, query, {
    refused: async (error) => {
      if (isOfTask(error)) return failed(error.serviceMessage);
      await keepWaiting(context, render, job, waited, faultOf(error));
    },
    unanswered: async (error) => {
      // Operators have to fix a key, no matter how long that takes.
      if (isOfKey(error)) return;
      if (isAnswered(error)) context.pending.erring = erring + spacing;
      const isLasting = (context.pending.erring ?? 0) >= usual[render.kind];
      if (isLasting && !context.isOfOtherAccount) return failed(error.serviceMessage);
      await hearNothing(context, render, job, spacing, faultOf(error));
    },
  });
}

/** Refusals of a render's content come with these; others are of who asks, of the way to ask, or of the moment. */
const contentStatuses: readonly (number | undefined)[] = [200, 400, 422, 451];

/** Whether a question about a render was answered by a refusal of its content: there will be none. */
function isOfTask(error: ServiceError): boolean {
  const isRefused = error instanceof ContentRefusedError && error.operation !== 'download';
  return isRefused && contentStatuses.includes(error.status);
}

/** Whether the service answered well, by an error alone: for a moment it's the service's, if it lasts the task's. */
function isAnswered(error: ServiceError): boolean {
  return error instanceof ServerError && error.status === 200;
}

function queryStatus(
  { dependencies }: LifecycleContext,
  render: Render,
  taskId: string,
): Promise<TaskStatus> {
  const { service, stop: signal } = dependencies;
  const tasks = render.kind === 'image' ? service.images : service.videos;
  return tasks.status(taskId, {
    conversationId: render.conversationId,
    signal,
    priority: 'background',
  });
}

/** The service answered that it is still at it, or refused to say. Only such answers count as waiting. */
async function keepWaiting(
  context: LifecycleContext,
  render: Render,
  job: Job,
  waited: number,
  { fraction, fault = { code: 'deadline', minutes: Math.round(patience / 60_000) } }: Heard,
): Promise<void> {
  if (waited >= patience) return context.recordFault(fault);
  const { store } = context.dependencies;
  await store.change(render.id, { waited, unanswered: 0, attempts: render.attempts });
  showProgress(context, render, job, waited, fraction);
}

/**
 * No answer, or a useless one such as an unknown state. The service may be down, so this doesn't count as running time;
 * but nothing is polled forever.
 */
async function hearNothing(
  context: LifecycleContext,
  render: Render,
  job: Job,
  spacing: number,
  { fraction, fault = silence }: Heard,
): Promise<void> {
  const unanswered = render.unanswered + spacing;
  if (unanswered >= longestSilence) return context.recordFault(fault);
  await context.dependencies.store.change(render.id, { unanswered, attempts: render.attempts });
  showProgress(context, render, job, render.waited + unanswered, fraction);
}

/** Fetches what a task in an unknown state has. If it isn't there that ends nothing: the task may be far from ready. */
async function isThere(context: LifecycleContext, render: Render, status: TaskStatus): Promise<boolean> {
  const { stop, log } = context.dependencies;
  try {
    if (!(await tryFetch(context, render, status))) return true;
  } catch (error) {
    stop.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    log.warn({ render: render.id, error }, 'the result of a render in an unknown state could not be fetched');
  }
  context.pending.lastingState?.goesOn();
  return false;
}

function showProgress(
  { dependencies: { progress } }: LifecycleContext,
  render: Render,
  job: Job,
  elapsed: number,
  fraction?: number,
): void {
  const late = elapsed >= usual[render.kind];
  progress.show(render, job, { late, ...(fraction !== undefined && { fraction }) });
}

/** Milliseconds between two queries about a task: at first, at most, and once it's late. */
const spacing = { first: 2_000, longest: 15_000, late: 5 * minute };

/** Leaves a fifth of the status rate limit to other users of the same key. */
const statusQueriesPerMinute = ratesPerMinute.status * 0.8;

/** What decides when a task is polled again. */
interface Asking {
  /** How long it has been running, in milliseconds. */
  readonly waited: number;
  /** It takes much longer than usual. */
  readonly late: boolean;
  /** How many tasks are being polled. */
  readonly polled: number;
  /** 0 to 1: spreads tasks that began together. */
  readonly random: number;
}

/**
 * Milliseconds until a task is polled again: 2 s at first, growing to 15 s, minutes if it's late, and never so short
 * that all tasks together exceed the key's rate limit of status queries.
 */
export function pollSpacing({ waited, late, polled, random }: Asking): number {
  const byAge = late ? spacing.late : Math.min(spacing.longest, Math.max(spacing.first, waited / 8));
  const byBudget = (polled * minute) / statusQueriesPerMinute;
  return Math.max(byAge, byBudget * (0.5 + random));
}

/** Milliseconds until the service is asked about a waiting render: at the latest as it moves since its message closes. */
export function spacingOf(
  { kind, waited, attempts, unanswered, message }: Omit<OpenRender, 'id' | 'job' | 'state' | 'createdAt'>,
  { unansweredQueries, lastingState, isStuck }: Omit<PendingRender, 'id' | 'job' | 'platform'>,
  dependencies: Pick<CourseDependencies, 'polled' | 'random' | 'adapters' | 'clock'>,
): number {
  const { polled, random = Math.random } = dependencies;
  const elapsed = waited + (lastingState?.isUnclear ? unanswered : 0);
  const late = elapsed >= usual[kind];
  const spacing = Math.max(
    pollSpacing({ waited: elapsed, late, polled: polled(), random: random() }),
    attempts > 0 ? untilNextLook(attempts) : 0,
    unansweredQueries > 0 ? untilNextQuery(unansweredQueries, unanswered) : 0,
  );
  return isStuck ? spacing : Math.min(spacing, untilItCloses(message, dependencies));
}

/** How long before its message closes a private render moves, in milliseconds. */
const ahead = 60_000;

/** Milliseconds until a render moves since its message closes, if it does that later. */
function untilItCloses(
  message: MessageAddress,
  { adapters, clock }: Pick<CourseDependencies, 'adapters' | 'clock'>,
): number {
  const closesAt = adapters(message.platform)?.closesAt(message);
  const left = closesAt === undefined ? 0 : closesAt - ahead - clock.now();
  return left > 0 ? left : Number.POSITIVE_INFINITY;
}

/**
 * A render whose message can't be changed for much longer goes on in its requester's direct messages, while its message
 * can still say so. If those are closed, its message says where the result can be fetched.
 */
async function movedBeforeClosing(context: LifecycleContext, render: Render, job: Job): Promise<Render> {
  const { dependencies, pending } = context;
  const { adapters, clock, presenters, store, log } = dependencies;
  const adapter = adapters(render.message.platform);
  const closesAt = adapter?.closesAt(render.message);
  if (!adapter || closesAt === undefined || clock.now() < closesAt - ahead || pending.isStuck) return render;
  const presentation = presentationOf(presenters, [render], job);
  const elapsed = Math.max(render.waited, clock.now() - render.createdAt);
  const say = (text: string) =>
    adapter.edit(render.message, { text }).catch((error: unknown) => {
      log.warn({ render: render.id, error }, "couldn't say where a private render goes on");
    });
  const { goesOn, isKept } = words(job.requester.locale).movesDirectly;
  try {
    const direct = await adapter.directMessages(job.address.workspace, job.requester.id, job.address);
    const content = presentation.progress({ elapsed, made: 0, isQueued: false });
    const message = await adapter.post(direct, content, `${job.id}:moved`);
    // Those that have ended, too: the first one's message is where all of them are posted.
    await store.move(render.job, message, render.id);
    await say(goesOn);
    return { ...render, message };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.warn({ render: render.id, error }, "a private render can't go on in direct messages");
    // What is unreachable now may be reachable at the next look.
    if (error.kind !== 'unreachable') {
      pending.isStuck = true;
      await say(isKept);
    }
    return render;
  }
}
