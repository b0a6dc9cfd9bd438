import type { Address } from '../../../../port/index.ts';
import { platformError } from '../../api/errors.ts';
import type { SlackApi } from '../../api/slack-api.ts';
import { isDirect } from '../address.ts';

/** Members in a page of `conversations.members`: the most there can be. */
const pageLength = 999;

interface MembersPage {
  readonly members?: readonly string[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

/**
 * Whether a person is in a channel now; in direct messages with the bot they are. Reads the members page by page until
 * they're found.
 * @throws {PlatformError} if Slack doesn’t say, as where the bot isn’t in the channel.
 */
export async function isMember(
  api: SlackApi,
  person: string,
  { workspace, channel }: Pick<Address, 'workspace' | 'channel'>,
): Promise<boolean> {
  if (isDirect(channel)) return true;
  let cursor = '';
  do {
    const at = { channel, limit: pageLength, ...(cursor && { cursor }) };
    const page: MembersPage = await api.call(workspace, 'conversations.members', at).catch((error) => {
      throw platformError(error);
    });
    if (page.members?.includes(person)) return true;
    cursor = page.response_metadata?.next_cursor ?? '';
  } while (cursor !== '');
  return false;
}
