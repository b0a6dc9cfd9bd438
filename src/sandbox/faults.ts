import { ApiError } from './http/api-error.ts';
import type { NumberRange, Parameters } from './http/parameters.ts';
import { operations } from './meter.ts';

/** What can go wrong on purpose. */
export const faultKinds = ['error', 'cut', 'stall', 'end', 'delay', 'length', 'filter', 'gone'] as const;
export type FaultKind = (typeof faultKinds)[number];

/**
 * When it goes wrong: `before` anything is done; `during` the answer or the task; `after` the work is done and
 * metered, so that only its answer is lost.
 */
export const faultTimes = ['before', 'during', 'after'] as const;
export type FaultTime = (typeof faultTimes)[number];

/** One thing that goes wrong in one request. */
export interface Fault {
  readonly kind: FaultKind;
  readonly when: FaultTime;
  /** HTTP status of an error. */
  readonly status: number;
  /** Sent as it is: seconds, a date, or nonsense. */
  readonly retryAfter?: string;
  /** Length of a delay. */
  readonly seconds: number;
  /** How many deltas of a streamed answer are written first; half of them, at most 30, where absent. */
  readonly afterDeltas?: number;
}

/** Operations a fault can be planned for: those that are metered, and the fetching of a result file. */
export const faultyOperations = [...operations, 'file'] as const;
export type FaultyOperation = (typeof faultyOperations)[number];

/** A fault that waits for the next requests of one operation. */
export interface PlannedFault extends Fault {
  readonly operation: FaultyOperation;
  times: number;
}

const usualTime: Record<FaultKind, FaultTime> = {
  error: 'before',
  cut: 'before',
  stall: 'before',
  delay: 'before',
  filter: 'before',
  end: 'during',
  length: 'during',
  gone: 'after',
};
/** HTTP statuses a fault can have. */
export const faultStatus: NumberRange = { min: 400, max: 599 };
/** Seconds a fault can delay an answer. */
export const faultSeconds: NumberRange = { min: 0, max: 600 };
/** How often a planned fault can happen. */
const faultCount: NumberRange = { min: 1, max: 1_000 };

/** A fault with what is usual for its kind. */
export function fault(kind: FaultKind, details: Partial<Fault> = {}): Fault {
  return { when: usualTime[kind], status: 500, seconds: 5, ...details, kind };
}

/** Reads one fault of the control address's body. */
export function readFault(body: Parameters): PlannedFault {
  const kind = body.choice('do', faultKinds);
  const when = body.choice('when', faultTimes, usualTime[kind]);
  if ((kind === 'end' || kind === 'length') && when !== 'during')
    throw body.invalid('when', `during, where 'do' is ${kind}`);
  return {
    kind,
    when,
    operation: body.choice('operation', faultyOperations),
    times: body.integer('times', faultCount, 1),
    status: body.integer('status', faultStatus, 500),
    seconds: body.number('seconds', faultSeconds, 5),
    ...(body.has('retry_after') && { retryAfter: readRetryAfter(body) }),
    ...(body.has('after_deltas') && { afterDeltas: body.integer('after_deltas', { min: 0 }) }),
  };
}

function readRetryAfter(body: Parameters): string {
  const value = body.raw('retry_after');
  const header = typeof value === 'number' ? String(value) : value;
  if (typeof header !== 'string' || !/^[\x20-\x7e]{0,100}$/.test(header))
    throw body.invalid('retry_after', 'a number, or at most 100 printable ASCII characters');
  return header;
}

/** Takes the faults planned for one more request of an operation out of the list, the used up ones for good. */
export function takeFaults(planned: PlannedFault[], operation: FaultyOperation): Fault[] {
  const first = planned.find((one) => one.operation === operation);
  if (!first) return [];
  first.times -= 1;
  if (first.times <= 0) planned.splice(planned.indexOf(first), 1);
  return [first];
}

/** The refusal an `error` fault asks for. */
export function faultError({ status, retryAfter }: Fault): ApiError {
  const wait = retryAfter ?? (status === 429 ? '5' : undefined);
  return new ApiError(status, `The sandbox was asked to answer with HTTP ${status}.`, {
    ...(wait !== undefined && { headers: { 'retry-after': wait } }),
  });
}
