import type { CounterName, HistogramName, LabelsOf } from './catalog.ts';

export * from './catalog.ts';

/** What the parts of the bot tell about themselves. */
export interface Telemetry {
  readonly meter: Meter;
  readonly tracer: Tracer;
}

/** Takes what is measured; cheap enough for anything but single tokens. Never throws. */
export interface Meter {
  /** Counts something that happened, `by` times. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Notes how long something took, in seconds. */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
}

/** Measures nothing. */
export const noMeter: Meter = { count: () => {}, observe: () => {} };

/** Seconds between two times in milliseconds; 0 where clocks disagree. */
export function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000;
}

/** Facts about a span: bounded words and numbers, never content, keys, tokens, names or addresses with tokens. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where a span begins. */
interface SpanOptions {
  /** It belongs to no other span, whatever is under way. */
  readonly isRoot?: boolean;
  /** The `traceparent` of a span elsewhere, or in another process, that led to this one. */
  readonly link?: string | undefined;
  /** When it began, in milliseconds since the epoch; now by default. */
  readonly since?: number;
  /** Whether it's a request to somebody else. */
  readonly isRequest?: boolean;
}

/** Something that takes time, within something else. */
export interface Span {
  /** Its place in its trace (W3C Trace Context), to link what goes on elsewhere; undefined while tracing is off. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** Notes a moment within it. */
  note(event: string): void;
  /** Ends it; only the first call counts. `fault` is the name of an error, where it failed. */
  end(fault?: string): void;
  /** Whatever begins in `work` belongs to it. */
  within<T>(work: () => T): T;
}

/** Begins spans. */
export interface Tracer {
  readonly isOn: boolean;
  start(name: string, attributes?: Attributes, options?: SpanOptions): Span;
  /** Whatever begins in `work` is in no trace: what is asked again and again for hours. */
  untraced<T>(work: () => T): T;
}

const noSpan: Span = {
  traceparent: undefined,
  set: () => {},
  note: () => {},
  end: () => {},
  within: (work) => work(),
};

/** Traces nothing. */
export const noTracer: Tracer = { isOn: false, start: () => noSpan, untraced: (work) => work() };

/** Runs work in a span, which ends with it. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
  options?: SpanOptions,
): Promise<T> {
  const span = tracer.start(name, attributes, options);
  try {
    const result = await span.within(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(faultName(error));
    throw error;
  }
}

/** The name of an error, for a span. */
export function faultName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Tells nothing. */
export const noTelemetry: Telemetry = { meter: noMeter, tracer: noTracer };
