import type { Clock } from '../../clock.ts';
import type { Address } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import { outletError } from './errors.ts';
import { isDirect } from './place.ts';

/** A command waits no longer to learn it, in milliseconds: apps given to many may look once a minute only. */
const patience = 1_000;

/**
 * Whether the bot may post at a place: only members can look into a channel. Where Slack does not tell, or not
 * in time, it counts as one, for posting will show.
 */
export async function isMember(
  api: SlackApi,
  clock: Clock,
  { workspace, channel }: Address,
): Promise<boolean> {
  if (isDirect(channel)) return true;
  let cancel = () => {};
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(patience, () => resolve(true));
  });
  const looked = api.call(workspace, 'conversations.history', { channel, limit: 1 }).then(
    () => true,
    (error: unknown) => outletError(error).kind !== 'not-a-member',
  );
  return Promise.race([looked, late]).finally(cancel);
}
