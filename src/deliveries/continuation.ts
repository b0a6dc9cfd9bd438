import type { Job, MessageAddress, PlatformAdapter, PostedAnswer } from '../port/index.ts';
import { sharedLength, splitMarkdown } from '../reply/index.ts';

/** An answer's messages, as they break below the one that stands there last. */
export async function messagesOf(
  adapter: PlatformAdapter,
  text: string,
  last: MessageAddress,
): Promise<readonly string[]> {
  return splitMarkdown(
    text,
    (await adapter.messageLimits?.(last)) ?? { maxLength: Number.POSITIVE_INFINITY },
  );
}

/**
 * The message in which a growing answer went on below those on record, where its process didn't live to write that
 * down. What a former delivery posted further below isn't it: that shows another piece of the answer.
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
  // A growing message ends with marks that the finished one has later, or not at all.
  return sharedLength(found.text, piece) > found.text.length / 2 ? found : undefined;
}
