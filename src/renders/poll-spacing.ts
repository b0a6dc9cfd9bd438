import { ratesPerMinute } from '../spec/limits.ts';

const first = 2_000;
const longest = 15_000;

/** A fifth of the status budget stays free for whoever else asks on the same key. */
const statusQueriesPerMinute = ratesPerMinute.status * 0.8;

/**
 * Milliseconds until a task is asked about again: 2 s at first, growing with its age to 15 s, and never so short
 * that `outstanding` tasks together pass the key's budget of status queries. `random`, 0 to 1, spreads those that
 * began together, so that they do not all ask at once.
 */
export function pollSpacing(ageMilliseconds: number, outstanding: number, random: number): number {
  const byAge = Math.min(longest, Math.max(first, ageMilliseconds / 8));
  const byBudget = (outstanding * 60_000) / statusQueriesPerMinute;
  return Math.max(byAge, byBudget * (0.5 + random));
}
