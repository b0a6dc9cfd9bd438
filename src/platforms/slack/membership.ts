import { type Address, OutletError } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import { outletError } from './errors.ts';
import { isDirect } from './place.ts';

/**
 * Whether the bot may post at a place: only members can look into a channel. Where Slack does not tell, it
 * counts as one, for posting will show.
 */
export async function isMember(api: SlackApi, { workspace, channel }: Address): Promise<boolean> {
  if (isDirect(channel)) return true;
  try {
    await api.call(workspace, 'conversations.history', { channel, limit: 1 });
    return true;
  } catch (error) {
    const known = outletError(error);
    return !(known instanceof OutletError) || known.kind !== 'not-a-member';
  }
}
