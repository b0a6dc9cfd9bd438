import { describeFault, type Fault } from './fault.ts';
import { type ErrorFacts, type Operation, ServiceError } from './service-error.ts';

/** The request violates the service's description. Thrown before anything is queued or sent. */
export class InvalidRequestError extends ServiceError {
  /** All violations, in the order of the request's fields. */
  readonly faults: readonly Fault[];

  constructor(operation: Operation, faults: readonly Fault[]) {
    super(faults.map(describeFault).join('; '), { operation, outcome: 'rejected', retryable: false });
    this.faults = faults;
  }
}

/** The connection failed or was lost; `code` is the system's (`ECONNREFUSED`, `ECONNRESET`, …). */
export class ConnectionError extends ServiceError {}

/**
 * Which timeout expired: `waiting` in the queue, `response` until the response began, `idle` between two chunks,
 * `total` for the whole response, `task` for a task to become ready.
 */
export type TimeLimit = 'waiting' | 'response' | 'idle' | 'total' | 'task';

/** A timeout expired. */
export class TimeoutError extends ServiceError {
  readonly limit: TimeLimit;
  readonly milliseconds: number;

  constructor(limit: TimeLimit, milliseconds: number, facts: ErrorFacts) {
    super(`the ${limit} limit of ${milliseconds} ms ran out`, facts);
    this.limit = limit;
    this.milliseconds = milliseconds;
  }
}

/** The caller's signal was aborted. `outcome` tells whether the request had been sent. */
export class CancelledError extends ServiceError {}

/** The client was closed before or during the call. */
export class ClientClosedError extends ServiceError {}

/** Too many calls are already waiting for the key's limits. */
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
  /** The whole size, if known. */
  readonly lengthBytes: number | undefined;

  constructor(limitBytes: number, lengthBytes: number | undefined, facts: ErrorFacts) {
    super(`the answer is larger than ${limitBytes} bytes`, facts);
    this.limitBytes = limitBytes;
    this.lengthBytes = lengthBytes;
  }
}

/** Why a URL may not be fetched. */
export type AddressFault = 'unreadable' | 'not-https' | 'credentials' | 'private' | 'too-many-redirects';

/** A result's URL isn't one this client fetches. */
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
