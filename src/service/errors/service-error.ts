import type { PaidOperation } from '../../service-rules/operations.ts';

/** The operation of a call; included in every error and log line. */
export type Operation = PaidOperation | 'voices' | 'image-status' | 'video-status' | 'download' | 'client';

/**
 * Effect of a failed request, as far as is known.
 * - `not-processed`: it never reached the service, or the service said it did nothing (429, 503 with
 *   Retry-After). Retrying can't cost twice.
 * - `rejected`: the service rejected it. Nothing was made; retrying the same request is pointless.
 * - `unknown`: it may have been processed, and credits spent (connection lost or time-out after sending, 5xx,
 *   an unreadable response). Never retry a paid request automatically after this.
 */
export type Outcome = 'not-processed' | 'rejected' | 'unknown';

/** The data of a {@link ServiceError}. */
export interface ErrorFacts {
  operation: Operation;
  outcome: Outcome;
  /** Whether the same request may succeed later. For paid requests, `outcome` matters as well. */
  retryable: boolean;
  /** HTTP status, if the service responded. */
  status?: number | undefined;
  /** The service's error code, or the system's (`ECONNREFUSED`). */
  code?: string | undefined;
  /** The service's request id, for its support. */
  requestId?: string | undefined;
  /** Milliseconds the service asks to wait, at most 60,000. */
  retryAfter?: number | undefined;
  /** The service's error message; see {@link ServiceError.serviceMessage}. */
  serviceMessage?: string | undefined;
}

/**
 * Base class of every error this client throws. Its message, stack, inspection and JSON contain neither the key nor
 * any part of the request or response.
 */
export class ServiceError extends Error {
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds the service asks to wait, at most 60,000. */
  readonly retryAfter: number | undefined;
  readonly #serviceMessage: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(`${facts.operation}: ${message}`);
    this.operation = facts.operation;
    this.outcome = facts.outcome;
    this.retryable = facts.retryable;
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
    this.#serviceMessage = facts.serviceMessage;
  }

  override get name(): string {
    return this.constructor.name;
  }

  /**
   * The service's error message, at most 500 characters. It may repeat the request, so it isn't part of message,
   * inspection and JSON: show it only to the requester, and never log it.
   */
  get serviceMessage(): string | undefined {
    return this.#serviceMessage;
  }

  toJSON(): object {
    return { ...this, name: this.name, message: this.message };
  }
}
