import type { Clock } from '../../../lib/clock.ts';

/** Slack waits three seconds; it is answered after so long, whatever is still to be done, in milliseconds. */
const latest = 2_000;

/**
 * Acknowledges a command once: when what it asks for is on record, so that a process that dies in between leaves
 * the person with Slack's own error rather than with silence; and before Slack gives up.
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
