import { describe, expect, test } from 'vitest';
import { ratesPerMinute } from '../../../src/service-rules/limits.ts';
import { MemoryRateWindows } from '../../../src/service/index.ts';
import { FakeClock } from '../../fakes/clock.ts';

describe('the rate windows', () => {
  const spend = (windows: MemoryRateWindows, group: 'chat' | 'videos') => {
    let count = 0;
    while (windows.take(group) === 0) count++;
    return count;
  };

  test.each(Object.entries(ratesPerMinute))('of %s let %d through at once, and no more', (group, limit) => {
    const windows = new MemoryRateWindows(new FakeClock());
    expect(spend(windows, group as 'chat')).toBe(limit);
    expect(windows.take(group as 'chat')).toBeGreaterThan(59_000);
  });

  test('never let through more than the limit within any minute', () => {
    let now = 0;
    const windows = new MemoryRateWindows({
      now: () => now,
      steady: () => now,
      jitter: () => 1,
      after: () => () => undefined,
    });
    const times: number[] = [];
    for (let step = 0; step < 2_000; step++) {
      // Bunches and gaps of all sizes.
      now += (step * 7_919) % 900;
      if (windows.take('videos') === 0) times.push(now);
    }
    expect(times.length).toBeGreaterThan(100);
    times.forEach((time, index) => {
      const tenth = times[index + ratesPerMinute.videos];
      if (tenth !== undefined) expect(tenth - time).toBeGreaterThanOrEqual(60_000);
    });
  });

  test('tell when asking again makes sense', async () => {
    const clock = new FakeClock();
    const windows = new MemoryRateWindows(clock);
    spend(windows, 'videos');
    const wait = windows.take('videos');
    await clock.advance(wait - 1);
    expect(windows.take('videos')).toBe(1);
    await clock.advance(1);
    expect(windows.take('videos')).toBe(0);
  });

  test('of one group leave the others alone', () => {
    const windows = new MemoryRateWindows(new FakeClock());
    spend(windows, 'chat');
    windows.pause('chat', 5_000);
    expect(windows.take('videos')).toBe(0);
  });

  test('pause as long as they are told, the longest pause counts', async () => {
    const clock = new FakeClock();
    const windows = new MemoryRateWindows(clock);
    windows.pause('chat', 5_000);
    windows.pause('chat', 2_000);
    expect(windows.take('chat')).toBe(5_000);
    await clock.advance(5_000);
    expect(windows.take('chat')).toBe(0);
  });

  test.each([-3_600_000, 3_600_000])('are the same when the clock is set by %i ms', async (step) => {
    const clock = new FakeClock();
    const windows = new MemoryRateWindows(clock);
    spend(windows, 'videos');
    const wait = windows.take('videos');
    clock.step(step);
    expect(windows.take('videos')).toBe(wait);
  });
});
