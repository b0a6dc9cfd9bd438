import { calm, jump } from '../calm.ts';
import type { FakeClock } from '../clock.ts';
import type { FakeSlack } from './slack.ts';

/** Waits until nothing moves between Slack and the app any more. */
export const quiet = (_slack: FakeSlack, clock?: FakeClock): Promise<void> => calm(clock);

/** Lets so much of the test's time pass, every timer in its turn, with all traffic between them. */
export async function pass(clock: FakeClock, slack: FakeSlack, milliseconds: number): Promise<void> {
  let over = false;
  clock.after(milliseconds, () => {
    over = true;
  });
  while (!over) await jump(clock);
  await quiet(slack, clock);
}

/** Lets time pass until something is so; fails where it is not within `most` of the test's time. */
export async function until(
  clock: FakeClock,
  slack: FakeSlack,
  what: () => boolean,
  most = 60_000,
): Promise<void> {
  let over = false;
  const cancel = clock.after(most, () => {
    over = true;
  });
  await quiet(slack, clock);
  while (!what()) {
    if (over) throw new Error(`not so within ${most} ms: ${what}`);
    await jump(clock);
    await quiet(slack, clock);
  }
  cancel();
}
