import type { CommandWatch } from '../../engine/index.ts';
import type { CommandEnd, Job } from '../../port/index.ts';
import { isMade, type Render } from '../render.ts';

/** Tells those who run the bot how a job's renders ended, once nothing is left to do for them. */
export function tellEnd(watch: CommandWatch | undefined, renders: readonly Render[], job: Job): void {
  if (!watch) return;
  for (const render of renders)
    watch.meter.count('troupe_renders_ended_total', { kind: render.kind, outcome: outcomeOf(render) });
  watch.ended(job, endOf(renders));
}

function outcomeOf(render: Render): 'delivered' | 'failed' | 'canceled' | 'uncertain' {
  if (isMade(render)) return 'delivered';
  if (render.state === 'uncertain') return 'uncertain';
  return render.fault?.code === 'canceled' ? 'canceled' : 'failed';
}

/** A command of which something was made is done; otherwise what's most important to know of it counts. */
function endOf(renders: readonly Render[]): CommandEnd {
  const outcomes = renders.map(outcomeOf);
  if (outcomes.includes('delivered')) return { outcome: 'done' };
  if (outcomes.includes('uncertain')) return { outcome: 'uncertain' };
  const failed = renders.find((render) => outcomeOf(render) === 'failed');
  if (!failed) return { outcome: 'canceled' };
  const { fault } = failed;
  if (fault?.code === 'delivery' || fault?.code === 'no-place')
    return { outcome: 'failed', reason: 'platform' };
  const isOfKey =
    fault?.code === 'not-sent' && (fault.error === 'authentication' || fault.error === 'credit');
  return { outcome: 'failed', reason: isOfKey ? 'key' : 'service' };
}
