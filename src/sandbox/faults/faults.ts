import { operations } from '../account/meter.ts';
import { ApiError } from '../http/api-error.ts';
import type { NumberRange, Parameters } from '../http/parameters.ts';

/**
 * When a fault applies: `before` the work; `during` the answer or task; `after` the work is done and charged,
 * so only the response is lost.
 */
export const faultTimes = ['before', 'during', 'after'] as const;
export type FaultTime = (typeof faultTimes)[number];

/** Kinds of simulated failures. */
export const faultKinds = ['error', 'cut', 'stall', 'end', 'delay', 'length', 'filter', 'gone'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** When a kind applies unless it's said; of the others, `before` the work. */
const usualTimes: Partial<Record<FaultKind, FaultTime>> = { end: 'during', length: 'during', gone: 'after' };

/** One simulated failure of a request. */
export interface Fault {
  readonly kind: FaultKind;
  readonly when: FaultTime;
  /** HTTP status of an error. */
  readonly status: number;
  /** The `Retry-After` header, sent as given: seconds, a date, or anything else. */
  readonly retryAfter?: string;
  /** Duration of a delay. */
  readonly seconds: number;
  /** Deltas of a streamed answer that are sent first; by default half of them, at most 30. */
  readonly afterDeltas?: number;
}

/** Operations that can fail: the metered ones, and downloading a result file. */
const faultyOperations = [...operations, 'file'] as const;
export type FaultyOperation = (typeof faultyOperations)[number];

/** A fault planned for the next requests of one operation. */
export interface PlannedFault extends Fault {
  readonly operation: FaultyOperation;
  times: number;
}

/** Allowed HTTP statuses of a fault. */
export const faultStatus = { min: 400, max: 599 };
/** Allowed delays, in seconds. */
export const faultSeconds = { min: 0, max: 600 };
/** Allowed repetitions of a planned fault. */
const faultCount: NumberRange = { min: 1, max: 1_000 };

/** Creates a fault with its kind's defaults. */
export function fault(kind: FaultKind, details: Partial<Fault> = {}): Fault {
  return { when: usualTimes[kind] ?? 'before', status: 500, seconds: 5, ...details, kind };
}

/** Validates one fault in the body of the control endpoint. */
export function readFault(body: Parameters): PlannedFault {
  const kind = body.choice('do', faultKinds);
  const usual = fault(kind);
  const when = body.choice('when', faultTimes, usual.when);
  if ((kind === 'end' || kind === 'length') && when !== 'during')
    throw body.invalid('when', `during, if 'do' is ${kind}`);
  return {
    kind,
    when,
    operation: body.choice('operation', faultyOperations),
    times: body.integer('times', faultCount, 1),
    status: body.integer('status', faultStatus, usual.status),
    seconds: body.number('seconds', faultSeconds, usual.seconds),
    ...(body.has('retry_after') && { retryAfter: readRetryAfter(body) }),
    ...(body.has('after_deltas') && { afterDeltas: body.integer('after_deltas', { min: 0 }) }),
  };
}

function readRetryAfter(body: Parameters): string {
  const value = body.raw('retry_after');
  const header = typeof value === 'number' ? String(value) : value;
  if (typeof header === 'string' && /^[\x20-\x7e]{0,100}$/.test(header)) return header;
  throw body.invalid('retry_after', 'a number, or at most 100 printable ASCII characters');
}

/** Takes the planned fault for one request of an operation; removes it when its `times` are used up. */
export function takeFaults(planned: PlannedFault[], operation: FaultyOperation): Fault[] {
  const first = planned.find((one) => one.operation === operation);
  if (!first) return [];
  first.times -= 1;
  if (first.times <= 0) planned.splice(planned.indexOf(first), 1);
  return [first];
}

/** The error response of an `error` fault. */
export function faultError({ status, retryAfter = status === 429 ? '5' : undefined }: Fault): ApiError {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return new ApiError(status, `The sandbox was asked to answer with HTTP ${status}.`, { headers });
}
