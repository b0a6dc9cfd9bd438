import type { EndOutcome, EndReason } from '../../lib/telemetry/index.ts';

/** How a command ended, for those who run the bot. */
export interface CommandEnd {
  readonly outcome: EndOutcome;
  readonly reason?: EndReason;
}

/**
 * What a command's `run` tells about its end: nothing where it's done; `goes-on` where a record of its own goes on with
 * it (a render, a delivery) and tells the end later.
 */
export type RunEnd = CommandEnd | 'goes-on';
