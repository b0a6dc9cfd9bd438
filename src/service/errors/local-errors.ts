import { describeFault, type Fault } from './fault.ts';
import { type ErrorFacts, type Operation, ServiceError } from './service-error.ts';

/** The request breaks rules of the description. Thrown before anything is queued or sent. */
export class InvalidRequestError extends ServiceError {
  /** Every broken rule, in the order of the request's fields. */
  readonly faults: readonly Fault[];

  constructor(operation: Operation, faults: readonly Fault[]) {
    super(faults.map(describeFault).join('; '), { operation, outcome: 'rejected', retryable: false });
    this.faults = faults;
  }
}

/** No connection, or it was lost; `code` is the system's (`ECONNREFUSED`, `ECONNRESET`, …). */
export class ConnectionError extends ServiceError {}

/**
 * Which limit ran out: `waiting` for a turn, `response` until the answer began, `idle` between two pieces of it,
 * `total` for all of it, `task` for a task to become ready.
 */
export type TimeLimit = 'waiting' | 'response' | 'idle' | 'total' | 'task';

/** A limit of time ran out. */
export class TimeoutError extends ServiceError {
  readonly limit: TimeLimit;
  readonly milliseconds: number;

  constructor(limit: TimeLimit, milliseconds: number, facts: ErrorFacts) {
    super(`the ${limit} limit of ${milliseconds} ms ran out`, facts);
    this.limit = limit;
    this.milliseconds = milliseconds;
  }
}

/** The caller's signal was aborted. `outcome` says whether the request had been sent by then. */
export class CancelledError extends ServiceError {}

/** The client was closed before or during the call. */
export class ClientClosedError extends ServiceError {}

/** Too many calls wait for the key's limits already. */
export class QueueFullError extends ServiceError {
  /** How many calls may wait. */
  readonly limit: number;

  constructor(limit: number, operation: Operation) {
    super(`${limit} calls are waiting already`, { operation, outcome: 'not-processed', retryable: true });
    this.limit = limit;
  }
}

/** A body is larger than allowed. */
export class TooLargeError extends ServiceError {
  readonly limitBytes: number;
  /** The whole size, where it is known. */
  readonly lengthBytes: number | undefined;

  constructor(limitBytes: number, lengthBytes: number | undefined, facts: ErrorFacts) {
    super(`the answer is larger than ${limitBytes} bytes`, facts);
    this.limitBytes = limitBytes;
    this.lengthBytes = lengthBytes;
  }
}

/** Why an address may not be fetched. */
export type AddressFault = 'unreadable' | 'not-https' | 'credentials' | 'private' | 'too-many-redirects';

/** The address of a result is not one this client fetches. */
export class AddressRefusedError extends ServiceError {
  readonly reason: AddressFault;

  constructor(reason: AddressFault, operation: Operation = 'download') {
    super(`the result's address is refused (${reason})`, {
      operation,
      outcome: 'rejected',
      retryable: false,
    });
    this.reason = reason;
  }
}
