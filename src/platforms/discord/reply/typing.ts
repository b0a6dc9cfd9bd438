import type { Clock } from '../../../lib/clock.ts';
import { refusalOf } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';

/** Milliseconds; Discord shows the indicator for ten seconds. */
const renewAfter = 8_000;
/** Milliseconds after which it stops in any case. */
const longest = 5 * 60_000;

/**
 * Shows the typing indicator in a channel until the returned function is called, if that holds nothing else up. Failures are
 * ignored.
 */
export function showTyping(api: DiscordApi, clock: Clock, channel: string): () => void {
  const end = clock.steady() + longest;
  let cancel = () => {};
  let stopped = false;
  const show = () => {
    if (stopped || clock.steady() >= end) return;
    api.typing(channel, { urgency: 'optional' }).catch((error: unknown) => refusalOf(error) && stop());
    cancel = clock.after(renewAfter, show);
  };
  const stop = () => {
    stopped = true;
    cancel();
  };
  show();
  return stop;
}
