import type { Place } from './context.ts';
import { label } from './context.ts';
import type { PacedClient } from './paced-client.ts';

/** Messages that are read in a thread or channel. */
const maxMessages = 200;

/**
 * Deletes messages of the check that are unknown because the responses to their posts were lost: in its own threads, else
 * in the channel since the timestamp `since`.
 */
export async function removeLeftovers(
  slack: PacedClient,
  places: readonly (Pick<Place, 'channel'> & Partial<Pick<Place, 'thread'>>)[],
  since: string,
): Promise<void> {
  if (!slack.lostResponses) return;
  for (const { channel, thread } of places) {
    const { messages } =
      thread === undefined
        ? await slack.call('conversations.history', { channel, oldest: since, limit: maxMessages })
        : await slack.call('conversations.replies', { channel, ts: thread, limit: maxMessages });
    for (const { ts } of ownOf(messages).filter((one) => one.ts !== thread)) {
      // It may be a stream that hasn't ended.
      await slack.callOrGone('chat.stopStream', { channel, ts });
      await slack.callOrGone('chat.delete', { channel, ts });
    }
  }
}

function ownOf(messages: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(messages)) return [];
  return messages.filter(({ bot_id, text }) => bot_id !== undefined && String(text).startsWith(label));
}
