import { setTimeout } from 'node:timers/promises';
import { calm, jump } from '../../fakes/calm.ts';
import type { FakeClock } from '../../fakes/clock.ts';

/** So many looks of a millisecond come before each jump of the test's time. */
const looksBeforeJump = 20;

/**
 * Waits until something is so that may wait by the machine's time, as Discord's library does before it logs in anew: then the
 * test's time must not run ahead by hours.
 */
export async function patiently(clock: FakeClock, isSo: () => boolean): Promise<void> {
  for (let looks = 1; ; looks++) {
    await calm(clock);
    if (isSo()) return;
    if (looks % looksBeforeJump > 0 || !(await jump(clock))) await setTimeout(1);
  }
}
