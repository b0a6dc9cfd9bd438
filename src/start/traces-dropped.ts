import type { Clock } from '../lib/clock.ts';
import type { Meter } from '../lib/telemetry/index.ts';
import type { Log, Tracing } from '../ops/index.ts';

/** Between two lines in the log about spans that couldn't be sent, in milliseconds. */
const spacing = 600_000;

/** Counts spans that couldn't be sent, and says so in the log now and then; nothing else depends on them. */
export function countDropped(
  tracing: Pick<Tracing, 'onDropped'>,
  { clock, log, meter }: { readonly clock: Clock; readonly log: Pick<Log, 'warn'>; readonly meter: Meter },
): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  tracing.onDropped((spans) => {
    meter.count('troupe_traces_dropped_total', {}, spans);
    if (clock.steady() - toldAt < spacing) return;
    toldAt = clock.steady();
    log.warn({ spans }, 'traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT');
  });
}
