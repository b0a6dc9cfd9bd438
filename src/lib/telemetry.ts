import { platformNames } from './platform-names.ts';

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

/** The name of an error, for a span or a line of the log: its message may contain content. */
export function faultName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Tells nothing. */
export const noTelemetry: Telemetry = { meter: noMeter, tracer: noTracer };

/**
 * Everything that is measured, once: names and units by Prometheus' rules (seconds, bytes, `_total`). A label is one of
 * few values, never a channel, a person or a text; where they're listed, they are all of them.
 */

/** A metric's help, and its labels with their values; null where something else bounds them (commands, methods). */
export interface Metric {
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[] | null>>;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const platform = platformNames;
const paid = ['chat', 'speech', 'image', 'video'] as const;
const group = ['chat', 'voice', 'images', 'videos', 'status'] as const;
const operation = [...paid, 'voices', 'image-status', 'video-status', 'download'] as const;
const made = ['image', 'video'] as const;

/** How a command can end; each that arrives ends once. */
const endOutcomes = [
  'done',
  'failed',
  /** Before it began; `reason` says why. */
  'refused',
  /** By a person: stopped, canceled, or not confirmed. */
  'canceled',
  /** Nobody answered whether it may cost so much. */
  'unanswered',
  /** The process stopped or died in the middle. */
  'interrupted',
  /** Nobody knows whether the service was paid: it's never sent again by itself. */
  'uncertain',
] as const;
export type EndOutcome = (typeof endOutcomes)[number];

/** Why a command was refused or failed, or that the service cut its answer; empty for the other outcomes. */
const endReasons = [
  '',
  /** What was typed isn't allowed. */
  'options',
  'budget',
  /** It's off here, or not for this person. */
  'rules',
  /** The place doesn't take what it posts. */
  'place',
  /** Too many of this person's are waiting. */
  'waiting',
  'shutdown',
  /** The key isn't accepted, or the account can't pay. */
  'key',
  /** The service failed, or refused. */
  'service',
  /** The platform couldn't be reached, or refused. */
  'platform',
  /** This machine's disk or the database. */
  'database',
  /** The platform was told too late that it had arrived. */
  'acknowledgement',
  'expired',
  'unexpected',
] as const;
export type EndReason = (typeof endReasons)[number];

/** The purpose of a request to a platform. */
const requestKinds = [
  'acknowledgement',
  'post',
  'edit',
  'stream',
  'delete',
  'upload',
  'typing',
  'read',
  'other',
] as const;
export type RequestKind = (typeof requestKinds)[number];

/** What a render can have come to. */
export const renderStates = [
  'reserved',
  'submitting',
  'waiting',
  'ready',
  'delivered',
  'failed',
  'uncertain',
] as const;

export const counters = {
  troupe_commands_total: {
    help: 'Commands that ended',
    labels: { command: null, platform, outcome: endOutcomes, reason: endReasons },
  },
  troupe_platform_requests_total: {
    help: 'Requests to a platform, each try',
    labels: { platform, kind: requestKinds, route: null, status: null },
  },
  troupe_platform_retries_total: {
    help: 'Repeated requests to a platform',
    labels: { platform },
  },
  troupe_platform_given_up_total: {
    help: 'Requests given up after retries',
    labels: { platform },
  },
  troupe_platform_invalid_requests_total: {
    help: 'Discord’s 401, 403 and 429; 10,000 in ten minutes get the address banned',
    labels: { platform: ['discord'] },
  },
  troupe_service_requests_total: {
    help: 'Requests to the service, each try',
    labels: { operation, status: null },
  },
  troupe_service_retries_total: {
    help: 'Repeated requests to the service',
    labels: { operation },
  },
  troupe_renders_ended_total: {
    help: 'Images and videos that ended',
    labels: { kind: made, outcome: ['delivered', 'failed', 'canceled', 'uncertain'] },
  },
  troupe_deliveries_ended_total: {
    help: 'Answers and clips that couldn’t be posted at once',
    labels: { outcome: ['posted', 'undeliverable'] },
  },
  troupe_credits_spent_total: {
    help: 'Credits spent, at their upper bound',
    labels: { kind: paid, platform },
  },
  troupe_credits_uncertain_total: {
    help: 'Credits that may have been charged',
    labels: { kind: paid, platform },
  },
  troupe_database_errors_total: {
    help: 'Failed queries: database away, locked or full',
    labels: {},
  },
  troupe_database_away_seconds_total: {
    help: 'Time without the database',
    labels: {},
  },
  troupe_traces_dropped_total: {
    help: 'Spans that weren’t exported',
    labels: {},
  },
} as const satisfies Record<string, Metric>;

const fromMilliseconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const ofPeople = [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 30, 60];
const toMinutes = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

export const histograms = {
  troupe_acknowledgement_seconds: {
    help: 'From an event to its acknowledgement',
    labels: { platform },
    buckets: ofPeople,
  },
  troupe_first_words_seconds: {
    help: 'From a command’s arrival to its first visible words',
    labels: { platform, command: null },
    buckets: ofPeople,
  },
  troupe_command_duration_seconds: {
    help: 'From a command’s arrival to its end',
    labels: { platform, command: null, outcome: endOutcomes },
    buckets: toMinutes,
  },
  troupe_pacer_wait_seconds: {
    help: 'Wait of edits and posts for their rate limit',
    labels: { platform },
    buckets: [0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  troupe_service_queue_wait_seconds: {
    help: 'Wait of calls for the key’s rate limit',
    labels: { group },
    buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  },
  troupe_service_call_duration_seconds: {
    help: 'Calls of the service with retries, after the wait',
    labels: {
      operation,
      outcome: [
        'ok',
        'rate-limited',
        'rejected',
        'key',
        'credit',
        'server',
        'timeout',
        'connection',
        'canceled',
        'unreadable',
      ],
    },
    buckets: toMinutes,
  },
  troupe_service_first_token_seconds: {
    help: 'From a chat request to its first words',
    labels: { model: null },
    buckets: [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 30, 60, 120],
  },
  troupe_database_query_duration_seconds: {
    help: 'Queries with their wait for a connection or the disk',
    labels: { kind: ['read', 'write', 'transaction'] },
    buckets: fromMilliseconds,
  },
} as const satisfies Record<string, Metric & { readonly buckets: readonly number[] }>;

export const gauges = {
  troupe_build_info: {
    help: 'Always 1',
    labels: { version: null, database: ['sqlite', 'postgresql'], node: null },
  },
  troupe_processes: { help: 'Living processes of this bot', labels: {} },
  troupe_commands_running: { help: 'Commands under way', labels: {} },
  troupe_platform_ready: { help: 'Whether a platform is connected', labels: { platform } },
  troupe_platform_connections: {
    help: 'Shards on Discord, sockets on Slack',
    labels: { platform, state: ['ready', 'wanted'] },
  },
  troupe_service_queue_waiting: { help: 'Calls that wait for the key’s rate limit', labels: { group } },
  troupe_renders: {
    help: 'Images and videos under way, of all processes',
    labels: { kind: made, state: renderStates },
  },
  troupe_renders_oldest_seconds: {
    help: 'Age of the oldest of them',
    labels: { kind: made, state: renderStates },
  },
  troupe_deliveries: {
    help: 'Answers and clips that wait, of all processes',
    labels: { state: ['waiting', 'held'] },
  },
  troupe_deliveries_oldest_seconds: {
    help: 'Age of the oldest of them',
    labels: { state: ['waiting', 'held'] },
  },
  troupe_credits_reserved: {
    help: 'Credits set aside, of all processes',
    labels: { kind: paid, platform },
  },
  troupe_database_up: { help: 'Whether the last query got an answer', labels: {} },
  troupe_database_size_bytes: { help: 'Size of the database', labels: {} },
  troupe_database_connections: {
    help: 'Connections of the pool',
    labels: { state: ['busy', 'idle', 'queries-waiting'] },
  },
} as const satisfies Record<string, Metric>;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;

type Values<Labels> = {
  readonly [Label in keyof Labels]: Labels[Label] extends readonly (infer Value)[] ? Value : string;
};
/** A value for each label of a metric. */
export type LabelsOf<Name extends CounterName | HistogramName | GaugeName> = Values<
  (typeof counters & typeof histograms & typeof gauges)[Name]['labels']
>;
