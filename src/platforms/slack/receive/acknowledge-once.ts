import type { Clock } from '../../../lib/clock.ts';

/** When to acknowledge at the latest, in milliseconds: Slack waits three seconds. */
const latest = 2_000;

/**
 * Acknowledges a command once: when the request is on record, so that if the process dies before that the person sees
 * Slack’s own error instead of nothing; and before Slack gives up.
 */
export function acknowledgeOnce(clock: Clock, acknowledge: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  let cancel = () => {};
  const once = () => {
    cancel();
    done ??= acknowledge();
    return done;
  };
  cancel = clock.after(latest, () => void once().catch(() => undefined));
  return once;
}
