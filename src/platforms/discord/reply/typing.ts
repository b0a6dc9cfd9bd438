import type { Clock } from '../../../lib/clock.ts';
import type { DiscordApi } from '../api/api.ts';

/** Discord shows typing for ten seconds. */
const renewAfter = 8_000;
/** Nobody believes in typing any longer than this. */
const longest = 5 * 60_000;

/** Shows "is typing" in a channel until the returned function is called. That it cannot be shown matters to nobody. */
export function showTyping(api: DiscordApi, clock: Clock, channel: string): () => void {
  const end = clock.steady() + longest;
  let cancel = () => {};
  let stopped = false;
  const show = () => {
    if (stopped || clock.steady() >= end) return;
    api.typing(channel).catch(() => stop());
    cancel = clock.after(renewAfter, show);
  };
  const stop = () => {
    stopped = true;
    cancel();
  };
  show();
  return stop;
}
