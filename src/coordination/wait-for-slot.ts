import { type Clock, sleep } from '../lib/clock.ts';
import type { Slots } from './coordination.ts';

/** Waits for a slot and uses it. Rejects if `signal` is aborted before. */
export async function waitForSlot(slots: Slots, clock: Clock, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const wait = await slots.take();
    if (wait <= 0) return;
    await sleep(clock, wait, signal);
  }
}
