/** Details of an error besides its status and message. */
export interface ErrorDetails {
  /** Machine-readable code; by default the status's. */
  readonly code?: string;
  /** The invalid parameter. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface StatusKind {
  readonly type: string;
  readonly code: string;
}

const kinds: Readonly<Record<number, StatusKind>> = {
  400: { type: 'invalid_request_error', code: 'invalid_request' },
  401: { type: 'authentication_error', code: 'invalid_api_key' },
  402: { type: 'billing_error', code: 'insufficient_credits' },
  403: { type: 'permission_error', code: 'forbidden' },
  404: { type: 'not_found_error', code: 'not_found' },
  405: { type: 'invalid_request_error', code: 'method_not_allowed' },
  409: { type: 'invalid_request_error', code: 'conflict' },
  410: { type: 'not_found_error', code: 'gone' },
  413: { type: 'invalid_request_error', code: 'request_too_large' },
  429: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
};
const otherRefusal: StatusKind = { type: 'invalid_request_error', code: 'refused' };
const serverFault: StatusKind = { type: 'server_error', code: 'internal_error' };

/** An error response: an HTTP status with an error body like the Chat Completions API's. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    const kind = kinds[status] ?? (status >= 500 ? serverFault : otherRefusal);
    this.name = 'ApiError';
    this.status = status;
    this.type = kind.type;
    this.code = details.code ?? kind.code;
    this.param = details.param ?? null;
    this.headers = details.headers ?? {};
  }

  /** The object inside `{"error": …}`. */
  body(): { message: string; type: string; code: string; param: string | null } {
    return { message: this.message, type: this.type, code: this.code, param: this.param };
  }
}

/** A 400 that names a parameter, the given value and the allowed values. */
export function invalidParameter(param: string, given: unknown, allowed: string): ApiError {
  const message =
    given === undefined || given === null
      ? `Missing parameter '${param}'. Allowed: ${allowed}.`
      : `Invalid value for '${param}': ${show(given)}. Allowed: ${allowed}.`;
  return new ApiError(400, message, { code: 'invalid_parameter', param });
}

function show(given: unknown): string {
  if (Array.isArray(given)) return `an array of ${given.length}`;
  if (typeof given === 'object') return 'an object';
  const text = JSON.stringify(given);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
