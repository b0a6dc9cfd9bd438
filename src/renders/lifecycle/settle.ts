import type { Settlement } from '../../credits/index.ts';
import type { Render } from '../render.ts';

/** Puts how a render ended on the ledger. Does nothing the second time. */
export function settle(reservation: Settlement, render: Render): Promise<void> {
  switch (outcomeOf(render)) {
    case 'made':
      return reservation.settle();
    case 'not-made':
      return reservation.release();
    case 'unknown':
      return reservation.uncertain();
  }
}

/**
 * Whether the service made it, and so charges for it: a finished result is paid for even if it couldn't be downloaded or
 * posted; a failed one isn't.
 */
function outcomeOf({ state, fault }: Render): 'made' | 'not-made' | 'unknown' {
  if (state === 'uncertain') return 'unknown';
  if (state !== 'failed') return 'made';
  switch (fault?.code) {
    case 'canceled':
    case 'refused':
    case 'not-sent':
    case 'no-place':
    case 'failed':
      return 'not-made';
    case 'deadline':
    case 'unanswered':
    case 'task-gone':
    case 'wrong-kind':
      return 'unknown';
    default:
      return 'made';
  }
}
