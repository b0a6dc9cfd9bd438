import type { RenderKind } from './render.ts';

const minute = 60_000;

/** Running time a render usually stays under, in milliseconds; after that people are told that it takes long. */
export const usual: Record<RenderKind, number> = { image: 15 * minute, video: 60 * minute };

/**
 * Running time after which nobody waits for a render any more, in milliseconds. It is paid for, so that it is
 * asked about long after it is late; the time while this process is down or the service away does not count.
 */
export const patience = 24 * 60 * minute;
