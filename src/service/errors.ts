import type { PaidOperation } from '../service-rules/prices.ts';

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

/** 401: the key is missing, wrong or deleted. */
export class AuthenticationError extends ServiceError {}

/** 403: the key is valid but lacks permission for this. */
export class PermissionError extends ServiceError {}

/** 402, or an error code about balance or credits: the account can't pay. */
export class CreditError extends ServiceError {}

/** 400, 413, 422 and the other 4xx: the service rejects the request. */
export class RejectedRequestError extends ServiceError {}

/** The service refuses this content (its error code is about policy, moderation or safety). */
export class ContentRefusedError extends RejectedRequestError {}

/** 404 or 410: the task, or the path under the base URL, doesn't exist. */
export class NotFoundError extends ServiceError {}

/** A result no longer exists (404 or 410 on download). */
export class ResultGoneError extends NotFoundError {}

/** 429: the key's rate limit is exceeded (service description, section 8). */
export class RateLimitError extends ServiceError {}

/** 5xx, 408, or an error in the body of a successful response. */
export class ServerError extends ServiceError {}

/** The service's 2xx response isn't a valid one for the request. */
export class BadResponseError extends ServiceError {}

/** A chat stream ended without `[DONE]` or a `finish_reason`. */
export class TruncatedStreamError extends ServiceError {}

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
 * The request's own body couldn't be read to its end, for the reason in `cause`: the service never got all of it, so it
 * can't have done anything.
 */
export class UnreadBodyError extends ServiceError {
  override readonly cause: unknown;

  constructor(operation: Operation, cause: unknown) {
    super('the request’s body could not be read', { operation, outcome: 'not-processed', retryable: false });
    this.cause = cause;
  }
}

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

  constructor(reason: AddressFault) {
    super(`the result's address is refused (${reason})`, {
      operation: 'download',
      outcome: 'rejected',
      retryable: false,
    });
    this.reason = reason;
  }
}

/**
 * The violated rule: a value is missing, of the wrong type, not one of the choices, out of range, not a whole number,
 * too long, one of too many, in the wrong format, not https, not public, or an unknown field. `edit-needs-video`:
 * `operation` is `edit` without a reference video.
 */
export type FaultCode =
  | 'required'
  | 'type'
  | 'choice'
  | 'range'
  | 'integer'
  | 'too-long'
  | 'too-many'
  | 'form'
  | 'https'
  | 'public'
  | 'edit-needs-video'
  | 'unknown-field';

/** One violation of the description, as data; texts for people are made elsewhere. */
export interface Fault {
  /** Path of the field: `speed`, `messages[2].content`. */
  field: string;
  code: FaultCode;
  /** The lowest allowed value. */
  min?: number;
  /** The highest allowed value, length or count. */
  limit?: number;
  /** The unit of `limit`. */
  unit?: 'bytes' | 'characters' | 'items';
  /** The choices, or a description of the format. */
  allowed?: readonly string[];
  /** The value, or its length or count. Never the text of a prompt, a message, a key or a URL. */
  given?: string | number;
}

/** The fault in one English line, for logs and developers. */
export function describeFault(fault: Fault): string {
  const given = fault.given === undefined ? '' : `, given ${fault.given}`;
  return `${fault.field} ${rule(fault)}${given}`;
}

function rule(fault: Fault): string {
  switch (fault.code) {
    case 'required':
      return 'is required';
    case 'range':
      return `must be ${fault.min} to ${fault.limit}`;
    case 'integer':
      return 'must be a whole number';
    case 'too-long':
    case 'too-many':
      return `must have at most ${fault.limit} ${fault.unit}`;
    case 'https':
      return 'must be an https address';
    case 'public':
      return 'must be a public address';
    case 'edit-needs-video':
      return 'edit needs at least one of reference_video_urls';
    case 'unknown-field':
      return 'is not a field of this request';
    default:
      return `must be ${fault.allowed?.join(', ')}`;
  }
}

/** A value as a fault may show it: short, and only for fields without content. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return scrub(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeName(value);
}

/** `null` and arrays by name, everything else by `typeof`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Plain data about a call: never a key or any content of a request or response. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The client's log events:
 * - `request` (debug): a response arrived; `operation`, `attempt`, `status`, `milliseconds`, `requestId`.
 * - `retry` (info): a request is retried; `operation`, `attempt`, `milliseconds`, `error`, `status`, `code`.
 * - `paused` (warn): the service returned 429 and the group waits; `group`, `milliseconds`.
 * - `unknown-shape` (warn): an undocumented response, once per shape; `operation`, `shape`.
 * - `callback-failed` (warn): a caller's `onWait` or `onProgress` threw; `error`.
 * - `windows-failed` (warn): the shared rate windows failed, so the request is sent without them; `group`, `error`.
 */
export type ServiceLog = (level: 'debug' | 'info' | 'warn', event: string, fields: LogFields) => void;

/** Takes log lines, as loggers do. */
export type ServiceLogger = Readonly<
  Record<Parameters<ServiceLog>[0], (fields: LogFields, message: string) => void>
>;

/** Logs without keys, whatever a service puts into its responses. */
export function scrubbed(logger?: ServiceLogger): ServiceLog {
  return (level, event, fields) => {
    const clean = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? scrub(value) : value,
    ]);
    logger?.[level](Object.fromEntries(clean), `service: ${event}`);
  };
}

const keyLike = /sk-svc-[A-Za-z0-9_-]+/g;
const plainWord = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Removes anything that looks like a key of the service (description, section 5). */
export function scrub(text: string): string {
  return text.replace(keyLike, 'sk-svc-…');
}

/**
 * Makes an identifier or code from a response safe for errors and logs: one word of at most 64 characters that isn't
 * a key; everything else is dropped, because a service may echo the request.
 */
export function safeWord(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== 'string' || !plainWord.test(value)) return undefined;
  return value.includes('sk-svc-') ? undefined : value;
}
