import { describe, expect, it } from 'vitest';
import { pollSpacing } from '../../src/renders/poll-spacing.ts';
import { ratesPerMinute } from '../../src/spec/limits.ts';

describe('the spacing of status queries', () => {
  it('begins at 2 s and grows to 15 s with the age of the task', () => {
    expect(pollSpacing(0, 1, 0.5)).toBe(2_000);
    expect(pollSpacing(40_000, 1, 0.5)).toBe(5_000);
    expect(pollSpacing(3_600_000, 1, 0.5)).toBe(15_000);
  });

  it.each([1, 10, 30, 120, 1_000])('keeps %i tasks together within the budget of the key', (outstanding) => {
    const queriesPerMinute = (outstanding * 60_000) / pollSpacing(0, outstanding, 0.5);
    expect(queriesPerMinute).toBeLessThan(ratesPerMinute.status);
  });
});
