import type { Place } from './context.ts';
import { label } from './context.ts';
import type { PacedClient } from './paced-client.ts';

/** Messages looked at in a thread of the check's, or in a channel. */
const looked = 200;

/**
 * Removes messages of the check's that it knows nothing of, because the answers to their posts were lost: in threads
 * of its own, else in the channel from the time stamp `since` on.
 */
export async function removeLeftovers(
  slack: PacedClient,
  places: readonly (Pick<Place, 'channel'> & Partial<Pick<Place, 'thread'>>)[],
  since: string,
): Promise<void> {
  if (!slack.lostAnswers) return;
  for (const { channel, thread } of places) {
    const { messages } =
      thread === undefined
        ? await slack.call('conversations.history', { channel, oldest: since, limit: looked })
        : await slack.call('conversations.replies', { channel, ts: thread, limit: looked });
    for (const { ts } of ownOf(messages).filter((one) => one.ts !== thread)) {
      // It may be a stream that nobody has ended.
      await slack.callOrGone('chat.stopStream', { channel, ts });
      await slack.callOrGone('chat.delete', { channel, ts });
    }
  }
}

function ownOf(messages: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(messages)) return [];
  return messages.filter(({ bot_id, text }) => bot_id !== undefined && String(text).startsWith(label));
}
