import { noTracer, type Tracer } from '../../lib/telemetry/index.ts';

/** Traces of this process, and where they go. */
export interface Tracing {
  readonly tracer: Tracer;
  /** The ids of the span that's under way, for the log; empty where there is none. */
  ids(): { readonly trace_id?: string; readonly span_id?: string };
  /** Tells of spans that couldn't be sent, how many each time. */
  onDropped(listener: (spans: number) => void): void;
  /** Sends what's left, for a moment at most, and nothing after that. */
  close(): Promise<void>;
}

/** No traces: nothing of OpenTelemetry is loaded. */
export const noTracing: Tracing = {
  tracer: noTracer,
  ids: () => ({}),
  onDropped: () => {},
  close: async () => {},
};
