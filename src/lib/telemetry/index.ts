import { type Meter, noMeter } from './meter.ts';
import { noTracer, type Tracer } from './tracer.ts';

export * from './catalog.ts';
export * from './meter.ts';
export * from './tracer.ts';

/** What the parts of the bot tell about themselves. */
export interface Telemetry {
  readonly meter: Meter;
  readonly tracer: Tracer;
}

/** Tells nothing. */
export const noTelemetry: Telemetry = { meter: noMeter, tracer: noTracer };
