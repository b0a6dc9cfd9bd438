import { ratesPerMinute } from '../../service-rules/limits.ts';

const first = 2_000;
const longest = 15_000;
/** For what is late. */
const rarely = 5 * 60_000;

/** A fifth of the status budget stays free for whoever else asks on the same key. */
const statusQueriesPerMinute = ratesPerMinute.status * 0.8;

/** What decides how soon a task is asked about again. */
export interface Asking {
  /** Running time for which it was waited for, in milliseconds. */
  readonly waited: number;
  /** It takes much longer than usual. */
  readonly late: boolean;
  /** How many tasks are asked about. */
  readonly outstanding: number;
  /** 0 to 1: spreads those that began together, so that they do not all ask at once. */
  readonly random: number;
}

/**
 * Milliseconds until a task is asked about again: 2 s at first, growing to 15 s, minutes for what is late, and
 * never so short that all tasks together pass the key's budget of status queries.
 */
export function pollSpacing({ waited, late, outstanding, random }: Asking): number {
  const byAge = late ? rarely : Math.min(longest, Math.max(first, waited / 8));
  const byBudget = (outstanding * 60_000) / statusQueriesPerMinute;
  return Math.max(byAge, byBudget * (0.5 + random));
}
