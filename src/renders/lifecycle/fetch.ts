import { waitAfter } from '../../lib/clock.ts';
import { marked } from '../../media/index.ts';
import {
  AuthenticationError,
  BadResponseError,
  CreditError,
  isOfOtherKind,
  NotFoundError,
  ResultGoneError,
  ServiceError,
  type TaskStatus,
  TooLargeError,
} from '../../service/index.ts';
import type { CourseDependencies, LifecycleContext } from '../dependencies.ts';
import type { Render, RenderFault, RenderKind, RenderResult } from '../render.ts';

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
 * something is missing, and for as long as a render may take if it was refused, or another account's key doesn't know it.
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
    const { unansweredQueries: inVain } = pending;
    // Each time that it has failed twice as often: a service may be away for days.
    if (Number.isInteger(Math.log2(inVain)))
      dependencies.log.warn(
        { render: render.id, inVain, error },
        'a render could not be asked about or fetched',
      );
    if (error instanceof ResultGoneError) return retryLater(context, render, 'result-gone');
    if (error instanceof NotFoundError && !context.isOfOtherAccount)
      return retryLater(context, render, 'task-gone');
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
  const { watch } = context.dependencies;
  const fetched = await watch.step(render.job, 'render fetch', { 'troupe.kind': render.kind }, () =>
    fetchResult(render, status, context.dependencies),
  );
  if ('missing' in fetched) return fetched.missing;
  if ('fault' in fetched) await context.recordFault(fetched.fault);
  else await context.record({ state: 'ready', result: fetched.result, attempts: 0 });
  return undefined;
}

/**
 * How often something that the service says doesn't exist is looked up again. It's paid for, and the service may lag a
 * moment or be under repair for a few minutes.
 */
export const looksInVain = 11;

/** Milliseconds until the next lookup after so many failed ones (from 1): short for half a minute, then longer. */
export function untilNextLook(inVain: number): number {
  return waitAfter(Math.max(1, inVain - 4), { first: 6_000, longest: 240_000 });
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

/** Largest result that is fetched, in bytes. */
const largestResult = 512 * 1024 ** 2;
const usualContentTypes: Record<RenderKind, string> = { image: 'image/png', video: 'video/mp4' };

/** What became of fetching: the result, why there will be none, or what it looks like that it isn't there. */
type Fetched =
  | { readonly result: RenderResult }
  | { readonly fault: RenderFault }
  | { readonly missing: 'result-gone' | 'wrong-kind' };

/**
 * Downloads the result to where it can't be lost, this machine's disk or the database, marked as made by a machine. If its
 * address fails for good, or returns a cover image instead of a video, the other addresses of the same response are tried in
 * turn.
 * @throws the first address's error if all fail.
 */
async function fetchResult(
  { id, kind }: Pick<Render, 'id' | 'kind'>,
  { results, others = results }: TaskStatus,
  { service, spool, stop: signal }: CourseDependencies,
): Promise<Fetched> {
  const sources = results.length > 0 ? results : others;
  let refusal: unknown;
  for (const source of sources) {
    const link = source.kind === 'url' && source.url.startsWith('https:') ? { link: source.url } : {};
    try {
      const download = await service.download(source, { signal, maxBytes: largestResult });
      if (isOfOtherKind(download.contentType, kind)) {
        download.cancel();
        continue;
      }
      const bytes = await spool.write(id, marked(download.stream));
      return { result: { contentType: download.contentType ?? usualContentTypes[kind], bytes, ...link } };
    } catch (error) {
      if (error instanceof TooLargeError) {
        const { limitBytes: limit, lengthBytes: bytes } = error;
        const size = bytes === undefined ? {} : { bytes };
        return { fault: { code: 'result-too-large', limit, ...size, ...link } };
      }
      if (!(error instanceof ServiceError && isRefusal(error))) throw error;
      // What is said of it in the end is what became of the first.
      refusal ??= error;
    }
  }
  if (refusal) throw refusal;
  const isOther = sources.length > 0 || others !== results;
  return { missing: isOther ? 'wrong-kind' : 'result-gone' };
}

/**
 * Whether the service, or the host of the result, refused a request. A rejected key doesn't count: operators are
 * notified, and the render continues once they have fixed it. Nor does an HTML page in place of a status, which means
 * that the service is down.
 */
function isRefusal(error: ServiceError): boolean {
  if (isOfKey(error)) return false;
  return (
    error.outcome === 'rejected' || (error instanceof BadResponseError && error.operation === 'download')
  );
}

/** Whether the key or its account is in trouble, which the host of a result doesn't know. */
export function isOfKey(error: ServiceError): boolean {
  if (error.operation === 'download') return false;
  return error instanceof AuthenticationError || error instanceof CreditError;
}
