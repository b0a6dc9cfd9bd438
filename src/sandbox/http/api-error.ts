/** Details of an error besides its status and message. */
export interface ErrorDetails {
  /** Machine-readable code; by default the status's. */
  readonly code?: string;
  /** The invalid parameter. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Type and code of the errors of a status. */
const kinds: Readonly<Record<number, readonly [type: string, code: string]>> = {
  400: ['invalid_request_error', 'invalid_request'],
  401: ['authentication_error', 'invalid_api_key'],
  402: ['billing_error', 'insufficient_credits'],
  403: ['permission_error', 'forbidden'],
  404: ['not_found_error', 'not_found'],
  405: ['invalid_request_error', 'method_not_allowed'],
  409: ['invalid_request_error', 'conflict'],
  410: ['not_found_error', 'gone'],
  413: ['invalid_request_error', 'request_too_large'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
};
const otherRefusal = ['invalid_request_error', 'refused'] as const;
const serverFault = ['server_error', 'internal_error'] as const;

/** An error response: an HTTP status with an error body like the Chat Completions API's. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, { code, param, headers = {} }: ErrorDetails = {}) {
    super(message);
    const [type, usualCode] = kinds[status] ?? (status >= 500 ? serverFault : otherRefusal);
    this.status = status;
    this.type = type;
    this.code = code ?? usualCode;
    this.param = param ?? null;
    this.headers = headers;
  }

  /** The object inside `{"error": …}`. */
  body(): { message: string; type: string; code: string; param: string | null } {
    return { message: this.message, type: this.type, code: this.code, param: this.param };
  }
}

/** A 400 that names a parameter, the given value and the allowed values. */
export function invalidParameter(param: string, given: unknown, allowed: string): ApiError {
  const isMissing = given === undefined || given === null;
  const wrong = isMissing ? `Missing parameter '${param}'.` : `Invalid value for '${param}': ${show(given)}.`;
  return new ApiError(400, `${wrong} Allowed: ${allowed}.`, { code: 'invalid_parameter', param });
}

function show(given: unknown): string {
  if (Array.isArray(given)) return `an array of ${given.length}`;
  if (typeof given === 'object') return 'an object';
  const text = JSON.stringify(given);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
