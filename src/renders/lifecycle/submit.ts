import { sleep } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import {
  adapterOf,
  type Job,
  type PlatformError,
  type RefusalKind,
  refusalOf,
  turnsOf,
} from '../../port/index.ts';
import {
  AuthenticationError,
  BadResponseError,
  type CallOptions,
  CreditError,
  InvalidRequestError,
  isStreamed,
  QueueFullError,
  RateLimitError,
  ServiceError,
  type StreamedText,
  type TaskRef,
  type TaskStatus,
  UnreadBodyError,
} from '../../service/index.ts';
import type { ByteRange, FileStore } from '../../store/index.ts';
import type { LifecycleContext } from '../dependencies.ts';
import type { Render, RenderChange, RenderFault, RenderRequest } from '../render.ts';
import { presentationOf } from '../result/presenter.ts';
import { fetchOrRetry, looksInVain, untilNextLook, withRetries } from './fetch.ts';

/** Sends a render's request to the service, once; unless what asked for it was deleted. */
export async function submit(context: LifecycleContext, reserved: Render, job: Job): Promise<void> {
  const { credits, store, spool } = context.dependencies;
  const fault = await context.whyNotSent(job);
  if (fault) return context.recordFault(fault);
  const render = await withProgressMessage(context, reserved, job);
  if (!render) return;
  const request = await keptRequest(spool, job.id, render.kind, await store.requestOf(render.id));
  if (!request) return context.recordFault({ code: 'source-gone', isLost: true });
  const task = await send(context, render, request, job);
  if (task) {
    context.noteKnown();
    await context.persistently(() => credits.ofJob(render.id).noteRequest(task.requestId));
    await context.record({ state: 'waiting', ...(task.id !== undefined && { taskId: task.id }) });
  }
  if (request.isStored) await forgetReferences(context, job).catch(() => {});
  if (!task) return;
  if (task.status.state !== 'ready') return;
  if (task.id === undefined) return fetchUnnamed(context, render, task.status);
  await withRetries(context, render, () => fetchOrRetry(context, render, task.status));
}

/** The file in the `spool` with the images that a job's renders are made from, until all are sent. */
export function referencesOf(job: string): string {
  return `${job}.references`;
}

/** A request for the record: the images in it are in a file from now on, and a row has only their places there. */
export async function keepRequest(spool: FileStore, job: string, request: object): Promise<string> {
  const texts: StreamedText[] = [];
  let end = 0;
  const kept = JSON.stringify(request, (_, value: unknown) => {
    if (!isStreamed(value)) return value;
    texts.push(value);
    const start = end;
    end += value.bytes;
    return { start, end: end - 1 } satisfies ByteRange;
  });
  if (texts.length > 0) await spool.write(referencesOf(job), allOf(texts));
  return kept;
}

async function* allOf(texts: readonly StreamedText[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield* text.read();
}

/**
 * A request as it was recorded, to be sent; undefined if its images are gone. `isStored`: they're in the job's file; where a
 * former version recorded them they're in the request itself.
 */
async function keptRequest(
  spool: FileStore,
  job: string,
  kind: RenderRequest['kind'],
  kept: string,
): Promise<(RenderRequest & { readonly isStored: boolean }) | undefined> {
  const file = referencesOf(job);
  let isStored = false;
  const request: unknown = JSON.parse(kept, (_, value: unknown) => {
    if (!isRange(value)) return value;
    isStored = true;
    return { bytes: value.end - value.start + 1, read: () => spool.read(file, value) } satisfies StreamedText;
  });
  if (isStored && !(await spool.has(file))) return undefined;
  return { ...({ kind, request } as RenderRequest), isStored };
}

function isRange(value: unknown): value is ByteRange {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
}

/** Once all renders of a job are sent, or won't be, nothing is left to do with the images that they're made from. */
async function forgetReferences({ dependencies }: LifecycleContext, job: Job): Promise<void> {
  const { store, spool } = dependencies;
  const renders = await store.ofJob(job.id);
  const isSent = renders.every(({ state }) => state !== 'reserved' && state !== 'submitting');
  if (isSent) await spool.remove(referencesOf(job.id));
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
  try {
    return await openProgress(context, render, job);
  } catch (error) {
    if (isLocal(error)) throw error;
    context.dependencies.log.warn(
      { render: render.id, error },
      'a render could not get a message of its own',
    );
    const kind = refusalOf(error);
    if (!kind || !shut.includes(kind)) return render;
    const { detail } = error as PlatformError;
    await context.recordFault({ code: 'no-place', kind, ...(detail !== undefined && { detail }) });
    return undefined;
  }
}

/** Opens the message that shows the progress, or finds it where it was opened and nobody knows. */
export async function openProgress(context: LifecycleContext, render: Render, job: Job): Promise<Render> {
  const { presenters, posted, store } = context.dependencies;
  const adapter = adapterOf(context.dependencies, render.message);
  const message = await presentationOf(presenters, [render], job).openProgress?.(adapter);
  if (!message) return render;
  await store.change(render.id, { message });
  await posted?.(job, message);
  return { ...render, message };
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

/** A request that must not be sent: while it waited its render was canceled, or nobody hears any more whether it was deleted. */
class CanceledError extends Error {}

/**
 * Sends a render's request once. Its row says `submitting` from right before the request leaves. While it waits for the
 * key's limits it's still `reserved`: it can be canceled, and a shutdown leaves it to the next process.
 * Undefined where nothing is being made: it was canceled, or it failed, which is recorded then.
 * @throws where it can be sent once this machine or the database lets it; it's `reserved` then.
 */
async function send(
  context: LifecycleContext,
  render: Render,
  { kind, request }: RenderRequest,
  job: Job,
): Promise<TaskRef | undefined> {
  const { pending, dependencies } = context;
  const { progress, log, service, store, stop } = dependencies;
  const queue = new AbortController();
  let isLeaving = false;
  let obstacle: unknown;
  const beforeSending = async () => {
    // A second try whose row couldn't be taken back.
    if (isLeaving) return;
    isLeaving = true;
    try {
      if (!(await context.isHeard(job))) throw new CanceledError();
      const fault = await context.whyNotSent(job);
      if (fault) await context.recordFault(fault);
      if (fault || !(await store.beginSubmitting(render.id))) throw new CanceledError();
    } catch (error) {
      isLeaving = false;
      obstacle = error;
      throw error;
    }
  };
  // The service refused it for now: until its next turn it waits as before, through a shutdown and a cancel.
  const onNotProcessed = async () => {
    try {
      await store.takeBack(render.id);
    } catch (error) {
      return log.warn({ render: render.id, error }, 'a render could not go back to the queue');
    }
    isLeaving = false;
    if (stop.aborted) queue.abort(stop.reason);
  };
  // A request cut off in the middle may have been paid for, so it's never aborted once it leaves.
  const leaveQueue = (reason: unknown) => isLeaving || queue.abort(reason);
  const onStop = () => leaveQueue(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  pending.leaveQueue = () => {
    obstacle = new CanceledError();
    leaveQueue(obstacle);
  };
  const options: CallOptions = {
    conversationId: render.conversationId,
    ...turnsOf(job.address, job.requester),
    signal: queue.signal,
    onWait: (position) => progress.show(render, job, { position }),
    beforeSending,
    onNotProcessed,
  };
  try {
    return kind === 'image'
      ? await service.images.submit(request, options)
      : await service.videos.submit(request, options);
  } catch (error) {
    if (!isLeaving) {
      // It wasn't sent, and is on record as that where only the database's answer was lost.
      if (isLocal(obstacle)) await context.persistently(() => store.takeBack(render.id));
      stop.throwIfAborted();
      if (obstacle instanceof CanceledError) return undefined;
      if (!(error instanceof ServiceError)) throw error;
    }
    // Its images couldn't be read to their end, so the service has bought nothing.
    if (error instanceof UnreadBodyError) {
      await context.persistently(() => store.takeBack(render.id));
      throw error.cause;
    }
    log.warn({ render: render.id, error }, 'a render was not accepted');
    await context.record(afterFailedSubmit(error));
    return undefined;
  } finally {
    stop.removeEventListener('abort', onStop);
    delete pending.leaveQueue;
  }
}

/** What a render becomes when its request failed: `failed`, or `uncertain` where the service may have begun all the same. */
function afterFailedSubmit(error: unknown): RenderChange {
  if (error instanceof ServiceError && error.outcome !== 'unknown')
    return { state: 'failed', fault: faultOf(error) };
  return { state: 'uncertain', ...(isAnswered(error) && { fault: { code: 'server' } }) };
}

/** Whether the service, or something in front of it, answered: the request wasn't cut off then. */
function isAnswered(error: unknown): boolean {
  return error instanceof ServiceError && (error.status !== undefined || error instanceof BadResponseError);
}

/** Why a request that was certainly not processed failed. */
function faultOf(error: ServiceError): RenderFault {
  if (error instanceof AuthenticationError) return { code: 'not-sent', error: 'authentication' };
  if (error instanceof CreditError) return { code: 'not-sent', error: 'credit' };
  if (error instanceof RateLimitError || error instanceof QueueFullError)
    return { code: 'not-sent', error: 'rate-limit' };
  if (error instanceof InvalidRequestError) return { code: 'refused', reason: error.message };
  const reason = error.serviceMessage ?? error.code;
  if (error.outcome === 'rejected') return { code: 'refused', ...(reason && { reason }) };
  return { code: 'not-sent', error: 'unreachable' };
}
