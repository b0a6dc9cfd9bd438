import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Link,
  type Span as RecordedSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { randomId } from '../../lib/random-id.ts';
import { type Attributes, noTracer, type Span, type Tracer } from '../../lib/telemetry/index.ts';
import type { Tracing } from './tracing.ts';

/** How long the last spans may take to be sent, in milliseconds: a stop has 20 s altogether. */
const lastSpans = 1_000;
/** How long a batch may take, in milliseconds. */
const exportTimeout = 5_000;
/** Spans that wait to be sent; more are dropped, so that a collector that's away costs no memory. */
const maxWaiting = 2_048;
/** Nothing that is told about a span is longer, in characters. */
const longestValue = 200;

/** Traces by OpenTelemetry's own SDK. Nothing of it is registered globally. */
export function exportTraces(endpoint: string, version: string): Tracing {
  let dropped: (spans: number) => void = () => {};
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeout });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME ?? 'troupe',
      'service.version': version,
      'service.instance.id': randomId(),
    }),
    spanLimits: { attributeValueLengthLimit: longestValue },
    spanProcessors: [inBatches(exporter, (spans) => dropped(spans))],
  });
  const contexts = new AsyncLocalStorage<Context>();
  return {
    tracer: tracerOf(provider, contexts),
    ids() {
      const active = trace.getSpanContext(contexts.getStore() ?? ROOT_CONTEXT);
      return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
    },
    onDropped(listener) {
      dropped = listener;
    },
    async close() {
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, lastSpans).unref())]);
    },
  };
}

function tracerOf(provider: TracerProvider, contexts: AsyncLocalStorage<Context>): Tracer {
  const tracer = provider.getTracer('troupe');
  const now = () => contexts.getStore() ?? ROOT_CONTEXT;
  return {
    isOn: true,
    start(name, attributes = {}, { isRoot = false, link, since, isRequest = false } = {}) {
      const linked = linkTo(link);
      // What goes on at once stays in the trace; what goes on later has one of its own, which is linked.
      const isInIt = linked && trace.getSpanContext(now())?.traceId === linked.context.traceId;
      const parent = isRoot && !isInIt ? ROOT_CONTEXT : now();
      if (parent.getValue(untracedKey)) return noTracer.start(name);
      const kind = isRequest ? SpanKind.CLIENT : isRoot && !linked ? SpanKind.SERVER : SpanKind.INTERNAL;
      const options = {
        kind,
        attributes: known(attributes),
        ...(since !== undefined && { startTime: since }),
        ...(linked && !isInIt && { links: [linked] }),
      };
      const recorded = tracer.startSpan(name, options, parent);
      return spanOf(recorded, (work) => contexts.run(trace.setSpan(parent, recorded), work));
    },
    untraced: (work) => contexts.run(ROOT_CONTEXT.setValue(untracedKey, true), work),
  };
}

const untracedKey = Symbol('untraced');

function spanOf(recorded: RecordedSpan, within: Span['within']): Span {
  const { traceId, spanId } = recorded.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    set: (attributes) => void recorded.setAttributes(known(attributes)),
    note: (event) => void recorded.addEvent(event),
    end(fault) {
      // The library warns of a second end.
      if (!recorded.isRecording()) return;
      if (fault !== undefined) {
        recorded.setAttribute('error.type', fault);
        recorded.setStatus({ code: SpanStatusCode.ERROR });
      }
      recorded.end();
    },
    within,
  };
}

function known(attributes: Attributes): Record<string, string | number | boolean> {
  const given = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given);
}

function linkTo(traceparent: string | undefined): Link | undefined {
  const [, traceId, spanId] = /^00-([\da-f]{32})-([\da-f]{16})-01$/.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId) return undefined;
  return { context: { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true } };
}

/** Sends spans some at a time; tells of those that aren't sent, also because too many wait already. */
function inBatches(exporter: SpanExporter, dropped: (spans: number) => void): SpanProcessor {
  let waiting = 0;
  const batches = new BatchSpanProcessor({
    exporter: watched(exporter, {
      taken(spans) {
        waiting -= spans;
      },
      failed: dropped,
    }),
    maxQueueSize: maxWaiting,
    exportTimeoutMillis: exportTimeout,
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd(span) {
      // It would drop this one, and tell nobody.
      if (waiting >= maxWaiting) return dropped(1);
      waiting += 1;
      batches.onEnd(span);
    },
    shutdown: () => batches.shutdown(),
    forceFlush: () => batches.forceFlush(),
  };
}

/** Tells how many spans it's given, and how many couldn't be sent; the exporter has tried several times by then. */
function watched(
  exporter: SpanExporter,
  { taken, failed }: Readonly<Record<'taken' | 'failed', (spans: number) => void>>,
): SpanExporter {
  return {
    export(spans, done) {
      taken(spans.length);
      exporter.export(spans, (result) => {
        if (result.code !== 0) failed(spans.length);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
