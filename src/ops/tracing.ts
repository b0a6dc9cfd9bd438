import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { inTime, sleep, spread, systemClock, waitAfter } from '../lib/clock.ts';
import { type Attributes, noTracer, type Span, type Tracer } from '../lib/telemetry.ts';
import { beginningOf, randomId } from '../lib/text.ts';

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

/** A span's place, by W3C Trace Context: 32 and 16 hexadecimal digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** All that's known of a span. Times are in milliseconds since the epoch; kind and status are OTLP's numbers. */
export interface EndedSpan extends SpanIds {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: ReadonlyMap<string, string | number | boolean>;
  readonly events: readonly { readonly name: string; readonly at: number }[];
  readonly links: readonly SpanIds[];
  readonly status: number;
}

/** Spans wait so long for others, in milliseconds, and at most so many are sent at once. */
const batchWait = 5_000;
const batchSize = 512;
/** Spans that wait to be sent; more are dropped, so that a collector that's away costs no memory. */
const maxWaiting = 2_048;
/** How long a batch may take, all tries together, in milliseconds. */
const batchTimeout = 5_000;
/** Between two tries, in milliseconds, unless the collector asks for more. */
const waits = { first: 1_000, longest: 5_000, factor: 1.5 };
/** How long the last spans may take, in milliseconds: a stop has 20 s altogether. */
const lastSpans = 1_000;
/** Statuses after which the same is sent again (OTLP/HTTP, “Retryable Response Codes”). */
const retryable = [429, 502, 503, 504];
/** Nothing that is told about a span is longer, in characters. */
const longestValue = 200;

/** Sends spans to an OpenTelemetry collector, some at a time: OTLP 1 over HTTP, as JSON (opentelemetry.io/docs/specs/otlp). */
class SpanExporter {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #resource: object;
  readonly #closed = new AbortController();
  readonly #waiting: EndedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #dropped: (spans: number) => void = () => {};

  /** `resource` says whose spans they are. */
  constructor(endpoint: string, resource: Readonly<Record<string, string>>) {
    this.#url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#headers = {
      ...headersIn(process.env.OTEL_EXPORTER_OTLP_HEADERS),
      'content-type': 'application/json',
    };
    this.#resource = { attributes: Object.entries(resource).map(attribute) };
  }

  /** Tells of spans that aren't sent, how many each time. */
  onDropped(listener: (spans: number) => void): void {
    this.#dropped = listener;
  }

  take(span: EndedSpan): void {
    if (this.#closed.signal.aborted || this.#waiting.length >= maxWaiting) {
      this.#dropped(1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length === batchSize) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), batchWait).unref();
  }

  /** Sends what's left, for a moment at most, and nothing after that. */
  async close(): Promise<void> {
    this.#send();
    await inTime(systemClock, lastSpans, this.#sending, undefined);
    this.#closed.abort();
  }

  /** Sends all that wait, one batch after the other. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(async () => {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, batchSize);
        const lost = await this.#sendBatch(batch);
        if (lost > 0) this.#dropped(lost);
      }
    });
  }

  /** Tries until a batch is taken, is refused, or takes too long; returns how many of its spans weren't taken. */
  async #sendBatch(spans: readonly EndedSpan[]): Promise<number> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(batchTimeout)]);
    const scopeSpans = [{ scope: { name: 'troupe' }, spans: spans.map(onTheWire) }];
    const body = JSON.stringify({ resourceSpans: [{ resource: this.#resource, scopeSpans }] });
    const request = { method: 'POST', headers: this.#headers, body, redirect: 'manual', signal } as const;
    try {
      for (let tries = 1; ; tries++) {
        const answer = await fetch(this.#url, request).catch(() => undefined);
        const text = (await answer?.text().catch(() => undefined)) ?? '';
        if (answer?.ok) return rejectedIn(text);
        if (answer && !retryable.includes(answer.status)) return spans.length;
        const wait = Math.max(retryAfter(answer), spread(waitAfter(tries, waits), systemClock));
        await sleep(systemClock, wait, signal);
      }
    } catch {
      return spans.length;
    }
  }
}

/** Headers as OpenTelemetry's variable has them: `name=value,name=value`, percent-encoded. */
function headersIn(list = ''): Record<string, string> {
  const pairs = list.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end).trim().toLowerCase(), decoded(pair.slice(end + 1).trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** How long the collector asks to wait, in milliseconds: `Retry-After`, in seconds or as a date. */
function retryAfter(answer: Response | undefined): number {
  const asked = answer?.headers.get('retry-after') ?? '';
  return (/^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - systemClock.now()) || 0;
}

/** How many spans a collector took the request without. */
function rejectedIn(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: unknown } };
    return Number(partialSuccess?.rejectedSpans) || 0;
  } catch {
    return 0;
  }
}

function onTheWire({ startedAt, endedAt, attributes, events, status, ...span }: EndedSpan): object {
  return {
    ...span,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: [...attributes].map(attribute),
    events: events.map(({ name, at }) => ({ name, timeUnixNano: nanoseconds(at) })),
    status: { code: status },
  };
}

/** Numbers of 64 bits are strings in protobuf's JSON. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000)}000`;
}

function attribute([key, value]: readonly [string, string | number | boolean]): object {
  if (typeof value === 'boolean') return { key, value: { boolValue: value } };
  if (Number.isSafeInteger(value)) return { key, value: { intValue: String(value) } };
  if (Number.isFinite(value)) return { key, value: { doubleValue: value } };
  return { key, value: { stringValue: beginningOf(String(value), longestValue) } };
}
