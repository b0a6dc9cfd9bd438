import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { systemClock } from '../lib/clock.ts';
import { randomId } from '../lib/random-id.ts';
import { type Attributes, noTracer, type Span, type Tracer } from '../lib/telemetry/index.ts';
import { type EndedSpan, SpanExporter, type SpanIds } from './span-exporter.ts';

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

/** No traces. */
export const noTracing: Tracing = {
  tracer: noTracer,
  ids: () => ({}),
  onDropped: () => {},
  close: async () => {},
};

/** Traces that are sent to the OpenTelemetry collector at this address (OTLP over HTTP), or none without one. */
export function openTracing(endpoint: string | undefined, version: string): Tracing {
  if (endpoint === undefined) return noTracing;
  const exporter = new SpanExporter(endpoint, {
    'service.name': process.env.OTEL_SERVICE_NAME ?? 'troupe',
    'service.version': version,
    'service.instance.id': randomId(),
  });
  const current: Current = new AsyncLocalStorage();
  return {
    tracer: tracerOf(exporter, current),
    ids() {
      const span = current.getStore();
      return span === undefined || span === untraced ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
    onDropped: (listener) => exporter.onDropped(listener),
    close: () => exporter.close(),
  };
}

/** Whatever begins there is in no trace. */
const untraced = Symbol('untraced');

/** The span that's under way, to which belongs whatever begins. */
type Current = AsyncLocalStorage<SpanIds | typeof untraced>;

/** What a span stands for, and that it failed, by OTLP's numbers. */
const kinds = { internal: 1, server: 2, client: 3 } as const;
const failed = 2;

function tracerOf(exporter: SpanExporter, current: Current): Tracer {
  return {
    isOn: true,
    start(name, attributes = {}, { isRoot = false, link, since, isRequest = false } = {}) {
      const now = current.getStore();
      const linked = idsOf(link);
      // What goes on at once stays in the trace; what goes on later has one of its own, which is linked.
      const isInIt = linked !== undefined && now !== untraced && now?.traceId === linked.traceId;
      const parent = isRoot && !isInIt ? undefined : now;
      if (parent === untraced) return noTracer.start(name);
      const ids = { traceId: parent?.traceId ?? hexadecimal(16), spanId: hexadecimal(8) };
      const kind = isRequest ? kinds.client : isRoot && !linked ? kinds.server : kinds.internal;
      const begun = {
        ...ids,
        parentSpanId: parent?.spanId,
        name,
        kind,
        links: linked && !isInIt ? [linked] : [],
      };
      const span = record(begun, since, (ended) => exporter.take(ended));
      span.set(attributes);
      return { ...span, within: (work) => current.run(ids, work) };
    },
    untraced: (work) => current.run(untraced, work),
  };
}

/** Keeps what's told about a span until its end. */
function record(
  begun: Pick<EndedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'kind' | 'links'>,
  since: number | undefined,
  onEnd: (span: EndedSpan) => void,
): Omit<Span, 'within'> {
  // Whoever sets the machine's clock meanwhile doesn't change its length.
  const ahead = systemClock.now() - systemClock.steady();
  const now = () => ahead + systemClock.steady();
  const startedAt = since ?? now();
  const attributes = new Map<string, string | number | boolean>();
  const events: { name: string; at: number }[] = [];
  let isOver = false;
  const set = (more: Attributes) => {
    for (const [name, value] of Object.entries(more))
      if (value !== undefined && !isOver) attributes.set(name, value);
  };
  return {
    traceparent: `00-${begun.traceId}-${begun.spanId}-01`,
    set,
    note: (name) => void (isOver || events.push({ name, at: now() })),
    end(fault) {
      if (isOver) return;
      if (fault !== undefined) attributes.set('error.type', fault);
      isOver = true;
      const endedAt = Math.max(startedAt, now());
      const status = fault === undefined ? 0 : failed;
      onEnd({ ...begun, startedAt, endedAt, attributes, events, status });
    },
  };
}

function idsOf(traceparent = ''): SpanIds | undefined {
  const [, traceId, spanId] = /^00-([\da-f]{32})-([\da-f]{16})-01$/.exec(traceparent) ?? [];
  return traceId && spanId ? { traceId, spanId } : undefined;
}

function hexadecimal(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
