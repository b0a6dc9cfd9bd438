import type { Address } from '../../../port/index.ts';
import { platformError, slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';

/** Deletes one of the bot's messages, if it's still there; false where Slack refuses. */
export async function deleteMessage(
  api: SlackApi,
  { workspace, channel }: Address,
  ts: string,
): Promise<boolean> {
  try {
    await api.call(workspace, 'chat.delete', { channel, ts });
    return true;
  } catch (error) {
    if (slackCode(error) === 'message_not_found') return true;
    if (platformError(error).kind === 'unreachable') throw error;
    return false;
  }
}
