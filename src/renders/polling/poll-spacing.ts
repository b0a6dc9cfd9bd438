import { ratesPerMinute } from '../../service-rules/limits.ts';

const first = 2_000;
const longest = 15_000;
/** Spacing for late tasks. */
const rarely = 5 * 60_000;

/** Leaves a fifth of the status rate limit to other users of the same key. */
const statusQueriesPerMinute = ratesPerMinute.status * 0.8;

/** What decides when a task is polled again. */
export interface Asking {
  /** How long it has been running, in milliseconds. */
  readonly waited: number;
  /** It takes much longer than usual. */
  readonly late: boolean;
  /** How many tasks are being polled. */
  readonly outstanding: number;
  /** 0 to 1: spreads tasks that began together. */
  readonly random: number;
}

/**
 * Milliseconds until a task is polled again: 2 s at first, growing to 15 s, minutes if it's late, and never so short
 * that all tasks together exceed the key's rate limit of status queries.
 */
export function pollSpacing({ waited, late, outstanding, random }: Asking): number {
  const byAge = late ? rarely : Math.min(longest, Math.max(first, waited / 8));
  const byBudget = (outstanding * 60_000) / statusQueriesPerMinute;
  return Math.max(byAge, byBudget * (0.5 + random));
}
