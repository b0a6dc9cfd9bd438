import type { IncomingMessage } from 'node:http';

/** A closed range of numbers; without `max`, anything from `min` up. */
export interface NumberRange {
  readonly min: number;
  readonly max?: number;
}

/**
 * Validates the parameters of a JSON body. An invalid one throws a 400 that names the parameter, the given
 * value and the allowed values. `null` counts as absent; unknown parameters are ignored, since Chat Completions
 * clients send many.
 */
export class Parameters {
  /** All values as given. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly #prefix: string;

  /** `prefix` is the path of nested parameters, such as `messages[2]`. */
  constructor(values: unknown, prefix = '') {
    if (!isRecord(values)) {
      if (prefix) throw invalidParameter(prefix, values, 'an object');
      throw new ApiError(400, 'The body must be a JSON object.', { code: 'invalid_json' });
    }
    this.values = values;
    this.#prefix = prefix;
  }

  /** Whether a value other than `null` was given. */
  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** The value as given; undefined if absent or `null`. */
  raw(name: string): unknown {
    return this.values[name] ?? undefined;
  }

  /** The names of all values other than `null`. */
  names(): string[] {
    return Object.keys(this.values).filter((name) => this.has(name));
  }

  /** A required string, possibly empty. */
  string(name: string, allowed = 'a string'): string {
    const value = this.raw(name);
    if (typeof value !== 'string') throw this.invalid(name, allowed);
    return value;
  }

  /** A required string that isn't blank. */
  text(name: string): string {
    const allowed = 'a text that isn’t empty';
    const value = this.string(name, allowed);
    if (value.trim() === '') throw this.invalid(name, allowed);
    return value;
  }

  /** One of the allowed values; required without a fallback. */
  choice<T extends string>(name: string, allowed: readonly T[], fallback?: T): T {
    const value = this.raw(name) ?? fallback;
    const found = allowed.find((choice) => choice === value);
    if (found === undefined) throw this.invalid(name, allowed.join(', '));
    return found;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.raw(name) ?? fallback;
    if (typeof value !== 'boolean') throw this.invalid(name, 'true or false');
    return value;
  }

  /** Required without a fallback. */
  number(name: string, range: NumberRange, fallback?: number): number {
    return this.#inRange(name, range, fallback, 'a number', Number.isFinite);
  }

  /** Required without a fallback. */
  integer(name: string, range: NumberRange, fallback?: number): number {
    return this.#inRange(name, range, fallback, 'an integer', Number.isSafeInteger);
  }

  #inRange(
    name: string,
    { min, max }: NumberRange,
    fallback: number | undefined,
    kind: string,
    fits: (value: number) => boolean,
  ): number {
    const value = this.raw(name) ?? fallback;
    if (typeof value === 'number' && fits(value) && value >= min && value <= (max ?? value)) return value;
    throw this.invalid(name, `${kind} ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`);
  }

  /** An array of at most `max` items; empty if absent. */
  list(name: string, max: number): unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value) || value.length > max)
      throw this.invalid(name, `an array of at most ${max} item${max === 1 ? '' : 's'}`);
    return value;
  }

  /** The parameters of a nested object; without any if absent. */
  inner(name: string): Parameters {
    return new Parameters(this.raw(name) ?? {}, this.#path(name));
  }

  /** The error for an invalid value of this parameter, or of an item of it. */
  invalid(
    name: string,
    allowed: string,
    item?: { readonly index: number; readonly given: unknown },
  ): ApiError {
    if (item) return invalidParameter(`${this.#path(name)}[${item.index}]`, item.given, allowed);
    return invalidParameter(this.#path(name), this.raw(name), allowed);
  }

  /** The error for a text that is too long, without the text. */
  tooLong(name: string, given: string, most: string): ApiError {
    const param = this.#path(name);
    const message = `Invalid value for '${param}': it has ${given}. Allowed: at most ${most}.`;
    return new ApiError(400, message, { code: 'invalid_parameter', param });
  }

  /** The parameter's full path, such as `messages[2].role`. */
  #path(name: string): string {
    return this.#prefix ? `${this.#prefix}.${name}` : name;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Room for four reference images as data URLs. */
const maxBytes = 48 * 1024 * 1024;

/** Reads a JSON body of at most 48 MiB, whatever its content type. */
export async function readBody(incoming: IncomingMessage): Promise<Parameters> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const refuseLarge = (size: number) => {
    if (size <= maxBytes) return;
    const headers = { connection: 'close' };
    throw new ApiError(413, `The body is larger than ${maxBytes} bytes.`, { headers });
  };
  refuseLarge(Number(incoming.headers['content-length'] ?? 0));
  // Also while reading, since a body may have no `Content-Length`; the connection is still needed for the answer.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    refuseLarge(bytes);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return new Parameters(JSON.parse(text));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const message = `The body isn’t valid JSON (${text.length} characters).`;
    throw new ApiError(400, message, { code: 'invalid_json' });
  }
}

/** Details of an error besides its status and message. */
interface ErrorDetails {
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
