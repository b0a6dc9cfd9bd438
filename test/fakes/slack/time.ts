import type { FakeClock } from '../clock.ts';
import type { FakeSlack } from './slack.ts';

/** How many looks in a row must find nothing moving. */
const stillLooks = 4;
/** Looks without any movement after which an acknowledgement is taken not to come. */
const stuckLooks = 120;

/** Waits until nothing moves between Slack and the app any more. */
export async function quiet(slack: FakeSlack): Promise<void> {
  let still = 0;
  let before = slack.activity;
  for (;;) {
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    const moved = slack.activity !== before;
    before = slack.activity;
    still = moved ? 0 : still + 1;
    const busy = slack.inFlight > 0 || slack.deliverer.waiting > 0;
    if (still >= (busy ? stuckLooks : stillLooks)) return;
  }
}

/** Lets so much of the test's time pass, every timer in its turn, with all traffic between them. */
export async function pass(clock: FakeClock, slack: FakeSlack, milliseconds: number): Promise<void> {
  let over = false;
  clock.after(milliseconds, () => {
    over = true;
  });
  while (!over) {
    await quiet(slack);
    await clock.runNext();
  }
  await quiet(slack);
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
  await quiet(slack);
  while (!what()) {
    if (over) throw new Error(`not so within ${most} ms: ${what}`);
    await clock.runNext();
    await quiet(slack);
  }
  cancel();
}
