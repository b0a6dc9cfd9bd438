import { waitAfter } from '../../lib/backoff.ts';
import type { RenderKind } from '../render.ts';

const minute = 60_000;

/** Running time a render usually stays under, in milliseconds; after that people are told that it takes long. */
export const usual: Record<RenderKind, number> = { image: 15 * minute, video: 60 * minute };

/**
 * Running time after which nobody waits for a render any more, in milliseconds. It is paid for, so that it is
 * asked about long after it is late; the time while this process is down or the service away does not count.
 */
export const patience = 24 * 60 * minute;

/**
 * Running time after which a render is given up that no answer of the service's told anything of, in milliseconds. A
 * service may be away for days; after the first it is asked about once an hour.
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
 * So often something is looked for again that the service says is not there. What it made is paid for: it may be behind
 * itself by a moment, or being mended for some minutes.
 */
export const looksInVain = 11;

/** Milliseconds until the next look after so many in vain (from 1 on): quick ones for half a minute, then rarer ones. */
export function untilNextLook(inVain: number): number {
  return waitAfter(Math.max(1, inVain - 4), { first: 6_000, longest: 240_000 });
}
