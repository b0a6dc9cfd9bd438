import { waitAfter } from '../../lib/clock.ts';
import { ratesPerMinute } from '../../service-rules/limits.ts';
import type { RenderKind } from '../render.ts';

const minute = 60_000;

/** Running time a render usually stays under, in milliseconds; after that people are told that it takes long. */
export const usual: Record<RenderKind, number> = { image: 15 * minute, video: 60 * minute };

/**
 * Running time after which a render is given up, in milliseconds. It's paid for, so it's polled long after it's late;
 * time while this process or the service is down doesn't count.
 */
export const patience = 24 * 60 * minute;

/**
 * Running time after which a render is given up if the service never says anything useful about it, in milliseconds.
 * A service may be down for days; after the first day it's polled once an hour.
 */
export const longestSilence = 7 * 24 * 60 * minute;

/** Milliseconds until the next question after so many in a row were not answered, for `unanswered` milliseconds. */
export function untilNextQuery(inVain: number, unanswered: number): number {
  return waitAfter(Math.max(1, inVain), {
    first: 2_000,
    longest: unanswered >= patience ? 60 * minute : minute,
  });
}

/**
 * How often something that the service says doesn't exist is looked up again. It's paid for, and the service may lag a
 * moment or be under repair for a few minutes.
 */
export const looksInVain = 11;

/** Milliseconds until the next lookup after so many failed ones (from 1): short for half a minute, then longer. */
export function untilNextLook(inVain: number): number {
  return waitAfter(Math.max(1, inVain - 4), { first: 6_000, longest: 240_000 });
}

/** Milliseconds between two queries about a task: at first, at most, and once it's late. */
const spacing = { first: 2_000, longest: 15_000, late: 5 * minute };

/** Leaves a fifth of the status rate limit to other users of the same key. */
const statusQueriesPerMinute = ratesPerMinute.status * 0.8;

/** What decides when a task is polled again. */
export interface Asking {
  /** How long it has been running, in milliseconds. */
  readonly waited: number;
  /** It takes much longer than usual. */
  readonly late: boolean;
  /** How many tasks are being polled. */
  readonly polled: number;
  /** 0 to 1: spreads tasks that began together. */
  readonly random: number;
}

/**
 * Milliseconds until a task is polled again: 2 s at first, growing to 15 s, minutes if it's late, and never so short
 * that all tasks together exceed the key's rate limit of status queries.
 */
export function pollSpacing({ waited, late, polled, random }: Asking): number {
  const byAge = late ? spacing.late : Math.min(spacing.longest, Math.max(spacing.first, waited / 8));
  const byBudget = (polled * minute) / statusQueriesPerMinute;
  return Math.max(byAge, byBudget * (0.5 + random));
}
