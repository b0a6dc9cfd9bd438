import {
  type Job,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
  type PostedAnswer,
  type Run,
  searchResult,
} from '../port/index.ts';
import { sharedLength, splitMarkdown } from '../reply/index.ts';
import type { PendingDelivery } from './pending-delivery.ts';

/**
 * Adds messages the platform accepted but no process recorded, so that the answer continues there. `signal` is aborted
 * when the process stops.
 */
export async function withFoundMessages(
  job: Job,
  pending: PendingDelivery,
  adapter: () => PlatformAdapter | undefined,
  run: Run,
  signal: AbortSignal,
): Promise<PendingDelivery> {
  const { shown = [], message } = pending;
  if (message.files?.length) return pending;
  const find = async () =>
    shown.length > 0
      ? findContinuationOf(adapter(), job, message.text ?? '', shown)
      : adapter()?.findAnswer(job);
  const found = await run('search', () => searchResult(find(), signal)).catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    return undefined;
  });
  return found ? { ...pending, shown: [...shown, found.message], shownText: found.text } : pending;
}

/**
 * The message that continues a live answer but isn't recorded, because its process died first. A message posted below
 * by an earlier delivery doesn't count: it shows another piece of the answer.
 */
async function findContinuationOf(
  adapter: PlatformAdapter | undefined,
  job: Job,
  text: string,
  shown: readonly MessageAddress[],
): Promise<PostedAnswer | undefined> {
  const last = shown.at(-1);
  const found = last && (await adapter?.findContinuation(job, shown));
  if (!adapter || !found) return undefined;
  // The platform splits it the same way.
  const pieces = splitMarkdown(text, await adapter.messageLimits(last));
  const piece = pieces[shown.length] ?? '';
  // A growing message ends with marks that change or disappear in the finished one.
  return sharedLength(found.text, piece) > found.text.length / 2 ? found : undefined;
}
