import { channelKey, type Job } from '../../port/index.ts';
import {
  AuthenticationError,
  BadResponseError,
  type CallOptions,
  CreditError,
  InvalidRequestError,
  RateLimitError,
  ServiceError,
  type TaskRef,
} from '../../service/index.ts';
import type { Render, RenderFault } from '../render.ts';
import type { RenderChange } from '../render-store.ts';
import type { LifecycleContext } from './lifecycle-context.ts';

/** A request that must not be sent: its render was canceled while it waited. */
class CanceledError extends Error {}

/**
 * Sends a render's request once. Its row says `submitting` from right before the request leaves. While it waits for the
 * key's limits it's still `reserved`: it can be canceled, and a shutdown leaves it to the next process.
 * Undefined where nothing is being made: it was canceled, or it failed, which is recorded then.
 */
export async function send(
  context: LifecycleContext,
  render: Render,
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
      if (!(await store.beginSubmitting(render.id))) throw new CanceledError();
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
    fairnessKey: channelKey(job.address),
    fairnessWithin: job.requester.id,
    signal: queue.signal,
    onWait: (position) => progress.show(render, job, { position }),
    beforeSending,
    onNotProcessed,
  };
  try {
    return render.kind === 'image'
      ? await service.images.submit(render.request, options)
      : await service.videos.submit(render.request, options);
  } catch (error) {
    if (!isLeaving) {
      stop.throwIfAborted();
      if (obstacle instanceof CanceledError) return undefined;
      if (!(error instanceof ServiceError)) throw error;
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
  if (error instanceof RateLimitError) return { code: 'not-sent', error: 'rate-limit' };
  if (error instanceof InvalidRequestError) return { code: 'refused', reason: error.message };
  if (error.outcome === 'rejected') return { code: 'refused', reason: error.serviceMessage ?? error.message };
  return { code: 'not-sent', error: 'unreachable' };
}
