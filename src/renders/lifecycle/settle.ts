import type { Settlement } from '../../credits/index.ts';
import type { CommandWatch } from '../../engine/index.ts';
import type { CommandEnd, Job } from '../../port/index.ts';
import { isMade, type Render } from '../render.ts';

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

/** Tells those who run the bot how a job's renders ended, once nothing is left to do for them. */
export function tellEnd(watch: CommandWatch | undefined, renders: readonly Render[], job: Job): void {
  if (!watch) return;
  for (const render of renders)
    watch.meter.count('troupe_renders_ended_total', { kind: render.kind, outcome: countedAs(render) });
  watch.ended(job, endOf(renders));
}

function countedAs(render: Render): 'delivered' | 'failed' | 'canceled' | 'uncertain' {
  if (isMade(render)) return 'delivered';
  if (render.state === 'uncertain') return 'uncertain';
  return render.fault?.code === 'canceled' ? 'canceled' : 'failed';
}

/** A command of which something was made is done; otherwise what's most important to know of it counts. */
function endOf(renders: readonly Render[]): CommandEnd {
  const outcomes = renders.map(countedAs);
  if (outcomes.includes('delivered')) return { outcome: 'done' };
  if (outcomes.includes('uncertain')) return { outcome: 'uncertain' };
  const failed = renders.find((render) => countedAs(render) === 'failed');
  if (!failed) return { outcome: 'canceled' };
  const { fault } = failed;
  if (fault?.code === 'delivery' || fault?.code === 'no-place')
    return { outcome: 'failed', reason: 'platform' };
  const isOfKey =
    fault?.code === 'not-sent' && (fault.error === 'authentication' || fault.error === 'credit');
  return { outcome: 'failed', reason: isOfKey ? 'key' : 'service' };
}
