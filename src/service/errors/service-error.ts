import type { PaidOperation } from '../../service-rules/operations.ts';

/** What a call was for; named in every error and log line. */
export type Operation = PaidOperation | 'voices' | 'image-status' | 'video-status' | 'download' | 'client';

/**
 * What is known about the request's effect when it fails.
 * - `not-processed`: it never reached the service, or the service said it did nothing (429, 503 with
 *   Retry-After). Sending it again cannot cost twice.
 * - `rejected`: the service refused it as it stands. Nothing was made; sending the same again is pointless.
 * - `unknown`: it may have been processed, and credits spent (connection lost or time-out after sending, 5xx,
 *   an answer that cannot be read). Never send a paid request again by itself after this.
 */
export type Outcome = 'not-processed' | 'rejected' | 'unknown';

/** The data of a {@link ServiceError}. */
export interface ErrorFacts {
  operation: Operation;
  outcome: Outcome;
  /** Whether the same request may succeed later. For paid requests `outcome` decides as well. */
  retryable: boolean;
  /** HTTP status, where the service answered. */
  status?: number | undefined;
  /** The service's own error code, or the system's (`ECONNREFUSED`). */
  code?: string | undefined;
  /** The service's id of the request, for its support. */
  requestId?: string | undefined;
  /** Milliseconds the service asked to wait, at most 60,000. */
  retryAfter?: number | undefined;
  /** The service's own words; see {@link ServiceError.serviceMessage}. */
  serviceMessage?: string | undefined;
}

/**
 * Root of every error this client throws. Message, stack, inspection and JSON hold neither the key nor
 * anything of what was sent or answered.
 */
export class ServiceError extends Error {
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds the service asked to wait, at most 60,000. */
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
   * What the service wrote about the error, at most 500 characters. It may repeat what was sent, so it is kept
   * out of message, inspection and JSON: show it to the requester only, and never log it.
   */
  get serviceMessage(): string | undefined {
    return this.#serviceMessage;
  }

  toJSON(): object {
    return { ...this, name: this.name, message: this.message };
  }
}
