import { unwatched } from '../../engine/index.ts';
import {
  AddressRefusedError,
  NotFoundError,
  ResultGoneError,
  ServiceError,
  type TaskStatus,
} from '../../service/index.ts';
import { isRefusal } from '../refusals.ts';
import type { Render } from '../render.ts';
import { type Fetched, fetchResult } from '../result/fetch-result.ts';
import type { LifecycleContext } from './lifecycle-context.ts';
import { looksInVain } from './patience.ts';

/** Why a result isn't there. */
type Missing = Extract<Fetched, { missing: string }>['missing'];

/** What happens after an error that isn't about a missing result. */
interface ErrorHandlers {
  /** The service answered, and refused. */
  readonly refused?: (error: ServiceError) => Promise<void>;
  /** There was no answer, or none that could be read. */
  readonly unanswered?: (error: ServiceError) => Promise<void>;
}

/**
 * Queries or downloads. Both are free, so every error is retried: for a long time if there was no answer, a few times if
 * something is missing, and for as long as a render may take if it was refused.
 */
export async function withRetries(
  context: LifecycleContext,
  render: Render,
  work: () => Promise<void>,
  { refused, unanswered }: ErrorHandlers = {},
): Promise<void> {
  const { pending, dependencies } = context;
  try {
    await work();
    pending.unansweredQueries = 0;
  } catch (error) {
    dependencies.stop.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    pending.unansweredQueries += 1;
    dependencies.log.warn({ render: render.id, error }, 'a render could not be asked about or fetched');
    if (error instanceof ResultGoneError || error instanceof AddressRefusedError)
      return retryLater(context, render, 'result-gone');
    if (error instanceof NotFoundError) return retryLater(context, render, 'task-gone');
    await (isRefusal(error) ? refused : unanswered)?.(error);
  }
}

/** Fetches the result; where it's missing it is looked for again later. */
export async function fetchOrRetry(
  context: LifecycleContext,
  render: Render,
  status: TaskStatus,
): Promise<void> {
  const missing = await tryFetch(context, render, status);
  if (missing) await retryLater(context, render, missing);
}

/** Fetches the result and records it; resolves with the reason where it's missing. */
export async function tryFetch(
  context: LifecycleContext,
  render: Render,
  status: TaskStatus,
): Promise<Missing | undefined> {
  const { service, spool, stop: signal, watch = unwatched() } = context.dependencies;
  const fetched = await watch.step(render.job, 'render fetch', { 'troupe.kind': render.kind }, () =>
    fetchResult(render, status, { service, spool, signal }),
  );
  if ('missing' in fetched) return fetched.missing;
  if ('fault' in fetched) await context.recordFault(fetched.fault);
  else await context.record({ state: 'ready', result: fetched.result, attempts: 0 });
  return undefined;
}

/** Something promised isn't there. Some services are a moment behind themselves, so it's given up only after several looks. */
async function retryLater(
  context: LifecycleContext,
  { id, attempts }: Render,
  code: Missing | 'task-gone',
): Promise<void> {
  if (attempts >= looksInVain) return context.recordFault({ code });
  await context.dependencies.store.change(id, { attempts: attempts + 1 });
}
