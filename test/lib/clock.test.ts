import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';

test('what’s to be done in months isn’t done at once: a timer of Node’s takes at most 25 days', () => {
  vi.useFakeTimers();
  try {
    let done = 0;
    systemClock.after(60 * 86_400_000, () => (done += 1));
    vi.advanceTimersByTime(60_000);
    expect(done).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
