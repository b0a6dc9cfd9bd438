import { waitAfter } from '../backoff.ts';
import type { RenderKind } from './render.ts';

const minute = 60_000;

/** Running time a render usually stays under, in milliseconds; after that people are told that it takes long. */
export const usual: Record<RenderKind, number> = { image: 15 * minute, video: 60 * minute };

/**
 * Running time after which nobody waits for a render any more, in milliseconds. It is paid for, so that it is
 * asked about long after it is late; the time while this process is down or the service away does not count.
 */
export const patience = 24 * 60 * minute;

/**
 * So often something is looked for again that the service says is not there. What it made is paid for: it may be behind
 * itself by a moment, or being mended for some minutes.
 */
export const looksInVain = 11;

/** Milliseconds until the next look after so many in vain (from 1 on): quick ones for half a minute, then rarer ones. */
export function untilNextLook(inVain: number): number {
  return waitAfter(Math.max(1, inVain - 4), { first: 6_000, longest: 240_000 });
}
