import { waitAfter } from '../../lib/backoff.ts';
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
