import { noTracing, type Tracing } from './tracing.ts';

/** Traces that are sent to the OpenTelemetry collector at this address (OTLP over HTTP), or none without one. */
export async function openTracing(endpoint: string | undefined, version: string): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { exportTraces } = await import('./open-telemetry.ts');
  return exportTraces(endpoint, version);
}
