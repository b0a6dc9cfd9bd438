import type { Clock } from '../../clock.ts';
import type { Address } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import { outletError } from './errors.ts';
import { isDirect } from './place.ts';

/** A command waits no longer to learn it, in milliseconds. */
const patience = 1_000;

/**
 * Whether the bot may post at a place. Where Slack does not tell, or not in time, it counts as a member, for
 * posting will show.
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
  const looked = api.call(workspace, 'conversations.info', { channel }).then(
    (answer) => (answer.channel as { readonly is_member?: boolean }).is_member !== false,
    (error: unknown) => outletError(error).kind !== 'not-a-member',
  );
  return Promise.race([looked, late]).finally(cancel);
}
