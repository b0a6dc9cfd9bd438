import { untilDone, type Waits } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { isLocal } from '../lib/local-faults.ts';

/** Delays between attempts to record a delivery, for which its command waits, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 10_000 };

/** Records a delivery as soon as that's possible, until `signal` is aborted. Never rejects. */
export async function keepLater(
  keep: () => Promise<unknown>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const failed = (error: unknown) => {
    if (!isLocal(error)) throw error;
  };
  await untilDone(keep, { clock, waits, signal, failed }).catch(() => undefined);
}
