import type { Address } from '../../../port/index.ts';
import { platformError, slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** Deletes one of the bot's messages, if it's still there; false where Slack refuses. */
export async function deleteMessage(api: SlackApi, address: Address, ts: string): Promise<boolean> {
  return (await deletionOf(api, address, ts)) !== 'refused';
}

/** The same, and tells what came of it; `gone`: somebody deleted it before. */
export async function deletionOf(
  api: SlackApi,
  { workspace, channel }: Address,
  ts: string,
): Promise<'done' | 'gone' | 'refused'> {
  let tries = 0;
  const beforeSending = async () => {
    tries++;
  };
  try {
    await api.call(workspace, 'chat.delete', { channel, ts }, { beforeSending });
    return 'done';
  } catch (error) {
    // The response to an earlier try may have been lost.
    if (slackCode(error) === 'message_not_found') return tries > 1 ? 'done' : 'gone';
    if (platformError(error).kind === 'unreachable') throw error;
    return 'refused';
  }
}
