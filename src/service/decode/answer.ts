import {
  AuthenticationError,
  ContentRefusedError,
  CreditError,
  type ErrorFacts,
  NotFoundError,
  type Operation,
  type Outcome,
  PermissionError,
  RateLimitError,
  RejectedRequestError,
  safeWord,
  scrub,
  ServerError,
  type ServiceError,
  type ServiceLog,
} from '../errors.ts';

/** A JSON object. */
export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  // Bytes are base64 that is already decoded.
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The value of the first of the names that isn't null. Exact and fast: for the chunks of a stream. */
export function field(value: unknown, ...names: string[]): unknown {
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const entry = Object.hasOwn(value, name) ? value[name] : undefined;
    if (entry !== undefined && entry !== null) return entry;
  }
  return undefined;
}

/** Normalizes a name for tolerant lookups: `imageUrl`, `image_url` and `Image-URL` become `imageurl`. */
function plainName(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** An object's non-null values by normalized name; empty for anything else. */
export function plainFields(value: unknown): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  if (!isObject(value)) return fields;
  for (const [name, entry] of Object.entries(value))
    if (entry !== undefined && entry !== null) fields.set(plainName(name), entry);
  return fields;
}

/** Like {@link field}, with names in any spelling; `names` must be normalized. */
export function anyField(value: unknown, ...names: string[]): unknown {
  const fields = plainFields(value);
  const name = names.find((candidate) => fields.has(candidate));
  return name === undefined ? undefined : fields.get(name);
}

/** A non-empty string, or a number as a string. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** The text of the first name, in any spelling, that has one. */
export function anyText(value: unknown, ...names: string[]): string | undefined {
  const fields = plainFields(value);
  for (const name of names) {
    const text = asText(fields.get(name));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Parses JSON; `undefined` if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

const showableName = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;
const mostNames = 20;
const mostShapes = 100;
const deepest = 3;

/** The shape of a JSON value: names and types, never values or names that could be content. */
export function shapeOf(value: unknown, depth = 0): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return depth >= deepest ? '[…]' : `[${shapeOf(value[0], depth + 1)}×${value.length}]`;
  }
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  if (depth >= deepest) return '{…}';
  const names = Object.keys(value);
  const parts = names.slice(0, mostNames).map((name) => {
    const shown = showableName.test(name) ? name : '…';
    return `${shown}:${shapeOf(value[name], depth + 1)}`;
  });
  if (names.length > mostNames) parts.push('…');
  return `{${parts.join(',')}}`;
}

/** Reports each undocumented response shape once. Remembers at most 100 shapes. */
export class ShapeReporter {
  readonly #log: ServiceLog;
  readonly #seen = new Set<string>();

  constructor(log: ServiceLog) {
    this.#log = log;
  }

  /** @param what name of what wasn't understood, in our own words. */
  report(operation: string, what: string, value: unknown): void {
    const shape = shapeOf(value).slice(0, 500);
    const key = `${operation} ${what} ${shape}`;
    if (this.#seen.has(key) || this.#seen.size >= mostShapes) return;
    this.#seen.add(key);
    this.#log('warn', 'unknown-shape', { operation, what, shape });
  }
}

/** A response that is an error. */
interface ErrorAnswer {
  operation: Operation;
  /** The HTTP status; 200 if the error came in the body of a successful response or during a stream. */
  status: number;
  body: ErrorBody;
  requestId?: string | undefined;
  /** Milliseconds the response asks to wait. */
  retryAfter?: number | undefined;
  /** Whether part of the result had arrived: then the request was processed, whatever the error says. */
  begun?: boolean;
}

/** A balance isn't what a load balancer has, nor is `balanced`, a quality of videos. */
const speaksOfCredit =
  /insufficient.{0,40}(?:quota|fund)|(?<!load.?)balance(?!d)|billing|credit|arrear|overdue|payment/i;
const speaksOfContent = /content[_.-]?(?:policy|filter)|moderation|safety|sensitive|nsfw|prohibited/i;
const speaksOfRate = /rate.?limit|too.?many.?requests/i;
const speaksOfKey = /invalid.?api.?key|unauthori[sz]ed|authentication/i;

/** The one place where a response becomes an error: class, outcome and whether to retry. */
export function errorFromAnswer(answer: ErrorAnswer): ServiceError {
  const { body, operation } = answer;
  const words = `${body.code ?? ''} ${body.type ?? ''}`;
  // For an error in the body of a 200, the body counts instead of the status.
  const status = answer.status < 300 ? (body.status ?? statusOf(words)) : answer.status;
  const code = body.code ?? body.type;
  const ErrorClass = classOf(status, words);
  const isRejected = ErrorClass === CreditError || ErrorClass === ContentRefusedError;
  const outcome = isRejected ? 'rejected' : outcomeOf(status, answer.retryAfter);
  const facts: ErrorFacts = {
    operation,
    status: answer.status,
    code,
    requestId: answer.requestId ?? body.requestId,
    retryAfter: answer.retryAfter,
    serviceMessage: body.message,
    outcome: answer.begun ? 'unknown' : outcome,
    retryable: ErrorClass === RateLimitError || (ErrorClass === ServerError && status !== 501),
  };
  const named = code === undefined ? '' : ` (${code})`;
  const sentence =
    answer.status < 300 ? 'the service reported an error' : `the service answered ${answer.status}`;
  return new ErrorClass(sentence + named, facts);
}

function statusOf(words: string): number {
  if (speaksOfRate.test(words)) return 429;
  return speaksOfKey.test(words) ? 401 : 200;
}

function classOf(status: number, words: string): typeof ServiceError {
  const refused = status < 500 && status !== 401;
  if (status === 402 || (refused && speaksOfCredit.test(words))) return CreditError;
  if (refused && status !== 429 && speaksOfContent.test(words)) return ContentRefusedError;
  switch (status) {
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionError;
    case 404:
    case 410:
      return NotFoundError;
    case 429:
      return RateLimitError;
    case 408:
    case 425:
      return ServerError;
    default:
      return status >= 300 && status < 500 ? RejectedRequestError : ServerError;
  }
}

function outcomeOf(status: number, retryAfter: number | undefined): Outcome {
  if (status === 429 || status === 425) return 'not-processed';
  if (status === 503) return retryAfter === undefined ? 'unknown' : 'not-processed';
  // 303 points to the result of a processed request; 408 or 499 may come from an intermediary.
  if (status === 303 || status === 408 || status === 499) return 'unknown';
  return status >= 300 && status < 500 ? 'rejected' : 'unknown';
}

/** Content of an error body of any shape, without keys. */
export interface ErrorBody {
  /** Only for the requester: it may repeat the request. At most 500 characters. */
  message?: string | undefined;
  code?: string | undefined;
  type?: string | undefined;
  requestId?: string | undefined;
  /** An HTTP status named in the body, 400 to 599. */
  status?: number | undefined;
}

const longestMessage = 500;

/**
 * Decodes `{error: {message, type, code}}`, `{error: "…"}`, `{code, message}`, `{detail}`, `{errors: […]}`, plain
 * text. HTML is dropped, because it is useless to a person.
 */
export function decodeErrorBody(text: string): ErrorBody {
  const trimmed = text.trim();
  const value = parseJson(trimmed);
  if (value !== undefined && typeof value !== 'string') return decodeErrorValue(value);
  const message = typeof value === 'string' ? value : trimmed;
  return message.startsWith('<') ? {} : { message: shorten(message) };
}

/** The same for parsed JSON. */
export function decodeErrorValue(value: unknown): ErrorBody {
  const inner = innermost(value);
  // A status may be a word, beside a code that is the number.
  const named = ['status', 'statuscode', 'code'].map((name) => anyText(inner, name));
  const statuses = [...named, anyText(value, 'code')].map(Number);
  return {
    message: shorten(messageOf(inner) ?? messageOf(value)),
    code: safeWord(anyField(inner, 'code', 'errorcode', 'type') ?? anyField(value, 'code', 'type')),
    type: safeWord(anyField(inner, 'type') ?? anyField(value, 'type')),
    requestId: safeWord(anyField(inner, 'requestid', 'traceid') ?? anyField(value, 'requestid', 'traceid')),
    status: statuses.find((status) => status >= 400 && status <= 599),
  };
}

/** Codes and words that say that nothing is wrong. */
const fine = /^(?:0+|200|ok|success|no error)$/i;

/** Whether a 2xx response is actually an error. Some always have a place for one. */
export function isErrorValue(value: unknown): boolean {
  if (!isObject(value)) return false;
  const error = anyField(value, 'error', 'errors');
  if (Array.isArray(error)) return error.length > 0;
  if (isObject(error)) return Object.values(error).some(Boolean) && !isFine(error);
  return Boolean(error);
}

/** A code may be 0 because nobody has set it: then its words count. */
function isFine(error: JsonObject): boolean {
  return fine.test(anyText(error, 'code') ?? '') && fine.test(messageOf(error) ?? 'ok');
}

/** The same of one that holds nothing else: `{code: 40001, message: '…'}` is an error, too. */
export function isErrorAlone(value: unknown): boolean {
  if (isErrorValue(value)) return true;
  const code = anyText(value, 'code', 'errorcode');
  const message = anyText(value, 'message', 'msg', 'errormessage', 'errormsg');
  return code !== undefined && !fine.test(code) && message !== undefined;
}

function innermost(value: unknown): unknown {
  const inner = anyField(value, 'error', 'errors', 'detail');
  const first = Array.isArray(inner) ? inner[0] : inner;
  return isObject(first) ? first : value;
}

function messageOf(value: unknown): string | undefined {
  return (
    anyText(value, 'message', 'msg', 'detail', 'error', 'errormessage', 'errormsg', 'description', 'title') ??
    asText(value)
  );
}

function shorten(text: string | undefined): string | undefined {
  const clean = text && scrub(text).trim();
  return clean ? clean.slice(0, longestMessage) : undefined;
}

/** Shorter texts are decoded when needed, because that is fast. */
const long = 65_536;
const deepestText = 8;
const dataUrl = /^data:([^;,]{0,100})(?:;[^;,]{0,100}){0,4}?;base64,/i;

/** The content of a base64 text or data URL; `type` is the data URL's type. */
interface Base64File {
  bytes: Buffer<ArrayBuffer>;
  type: string | undefined;
}

/** Decodes a data URL, or plain base64 if allowed. `undefined` if it is neither. */
export function decodeBase64(text: string, allowed: 'data URL' | 'plain too'): Base64File | undefined {
  const head = dataUrl.exec(text.slice(0, 512));
  if (!head && allowed === 'data URL') return undefined;
  const content = (head ? text.slice(head[0].length) : text).trimStart();
  if (!/^[A-Za-z0-9+/_-]{4}/.test(content)) return undefined;
  return { bytes: Buffer.from(content, 'base64'), type: head?.[1] };
}

/**
 * Replaces every long base64 text or data URL in a JSON value, down to depth 8, by its bytes. `buffers` can be
 * transferred to another thread.
 */
export function decodeLongBase64(value: unknown): { value: unknown; buffers: ArrayBuffer[] } {
  const buffers: ArrayBuffer[] = [];
  const decode = (entry: unknown, depth: number): unknown => {
    if (typeof entry === 'string') return entry.length < long ? entry : (decodeText(entry, buffers) ?? entry);
    if (depth > deepestText) return entry;
    if (Array.isArray(entry)) return entry.map((inner) => decode(inner, depth + 1));
    if (!isObject(entry)) return entry;
    return Object.fromEntries(Object.entries(entry).map(([name, inner]) => [name, decode(inner, depth + 1)]));
  };
  return { value: decode(value, 0), buffers };
}

function decodeText(text: string, buffers: ArrayBuffer[]): Uint8Array | undefined {
  if (!dataUrl.test(text.slice(0, 512)) && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const bytes = decodeBase64(text, 'plain too')?.bytes;
  if (bytes) buffers.push(bytes.buffer);
  return bytes;
}
