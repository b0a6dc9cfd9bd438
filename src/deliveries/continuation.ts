import {
  type Job,
  limitsOf,
  type MessageAddress,
  type PlatformAdapter,
  type PostedAnswer,
} from '../port/index.ts';
import { sharedLength, splitMarkdown } from '../reply/index.ts';

/** Splits an answer into messages the way the platform splits it below `last`. */
export async function messagesOf(
  adapter: PlatformAdapter,
  text: string,
  last: MessageAddress,
): Promise<readonly string[]> {
  return splitMarkdown(text, await limitsOf(adapter, last));
}

/**
 * The message that continues a live answer but isn't recorded, because its process died first. A message posted below
 * by an earlier delivery doesn't count: it shows another piece of the answer.
 */
export async function findContinuationOf(
  adapter: PlatformAdapter,
  job: Job,
  text: string,
  shown: readonly MessageAddress[],
): Promise<PostedAnswer | undefined> {
  const last = shown.at(-1);
  const found = last && (await adapter.findContinuation?.(job, shown));
  if (!found) return undefined;
  const piece = (await messagesOf(adapter, text, last))[shown.length] ?? '';
  // A growing message ends with marks that change or disappear in the finished one.
  return sharedLength(found.text, piece) > found.text.length / 2 ? found : undefined;
}
