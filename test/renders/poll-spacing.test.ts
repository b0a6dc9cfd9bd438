import { describe, expect, it } from 'vitest';
import { pollSpacing } from '../../src/renders/lifecycle/poll.ts';
import { ratesPerMinute } from '../../src/service-rules/limits.ts';

const alone = (waited: number) => ({ waited, late: false, polled: 1, random: 0.5 });

describe('the spacing of status queries', () => {
  it('begins at 2 s and grows to 15 s with the age of the task', () => {
    expect(pollSpacing(alone(0))).toBe(2_000);
    expect(pollSpacing(alone(40_000))).toBe(5_000);
    expect(pollSpacing(alone(3_000_000))).toBe(15_000);
  });

  it('is minutes for what is late', () => {
    expect(pollSpacing({ ...alone(3_600_000), late: true })).toBe(300_000);
  });

  it.each([1, 10, 30, 120, 1_000])('keeps %i tasks together within the budget of the key', (polled) => {
    const queriesPerMinute = (polled * 60_000) / pollSpacing({ ...alone(0), polled });
    expect(queriesPerMinute).toBeLessThan(ratesPerMinute.status);
  });
});
