import { pipeline, Readable, type Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { decodeErrorBody, errorFromAnswer } from '../decode/answer.ts';
import {
  BadResponseError,
  CancelledError,
  ClientClosedError,
  ConnectionError,
  type ErrorFacts,
  type Operation,
  safeWord,
  ServiceError,
  type TimeLimit,
  TimeoutError,
  UnreadBodyError,
} from '../errors.ts';
import { isStreamed, type StreamedText } from './json-body.ts';

/** A complete HTTP request. */
export interface WireRequest {
  operation: Operation;
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: Buffer | StreamedText | undefined;
}

/** Status and headers of a response; its body is still to be read under the same deadline. */
export interface Answer {
  operation: Operation;
  status: number;
  header: HeaderReader;
  requestId: string | undefined;
  /** Without its content encoding. */
  body: Readable;
  flow: Flow;
  deadline: Deadline;
  /** Maps an error while reading this response. */
  failure(error: unknown): ServiceError;
}

/** Dependencies of {@link exchange}. */
interface Wire {
  dispatcher: Dispatcher;
  deadline: Deadline;
}

const longestErrorBody = 65_536;
const requestIdHeaders = ['x-request-id', 'request-id', 'x-svc-request-id', 'x-trace-id', 'trace-id'];

/** Sends a request and returns the response's status and headers, whatever the status. Doesn't follow redirects. */
export async function exchange(wire: Wire, wanted: WireRequest): Promise<Answer> {
  const { operation, body = null } = wanted;
  const { deadline } = wire;
  const flow = new Flow();
  let unread: UnreadBodyError | undefined;
  /** What isn't all there yet is no JSON, so nothing can have been made of it. */
  let isWhole = !isStreamed(body);
  const watch: BodyWatch = {
    unread(error) {
      unread = new UnreadBodyError(operation, error);
    },
    read() {
      isWhole = true;
    },
  };
  try {
    const response = await request(wanted.url, {
      dispatcher: through(wire.dispatcher, flow),
      method: wanted.method,
      ...(isStreamed(body)
        ? {
            headers: { ...wanted.headers, 'content-length': String(body.bytes) },
            body: Readable.from(piecesOf(body, watch), { objectMode: false }),
          }
        : { headers: wanted.headers, body }),
      signal: deadline.signal,
      // Time is limited only by the deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return readHead(operation, deadline, response, flow);
  } catch (error) {
    throw unread ?? failure(error, { operation, deadline, sent: flow.hasBegun && isWhole });
  }
}

/** Told how far a streamed body is. */
interface BodyWatch {
  /** It can't be read to its end. */
  readonly unread: (error: unknown) => void;
  /** All of it was handed over, to be sent. */
  readonly read: () => void;
}

/**
 * A body's pieces. What undici throws into this generator where the connection is lost arrives at `yield`, and isn't taken for
 * a piece that can't be read.
 */
async function* piecesOf(body: StreamedText, watch: BodyWatch): AsyncGenerator<Uint8Array> {
  const pieces = body.read()[Symbol.asyncIterator]();
  const next = () =>
    pieces.next().catch((error: unknown) => {
      watch.unread(error);
      throw error;
    });
  let sent = 0;
  try {
    for (let piece = await next(); !piece.done; piece = await next()) {
      sent += piece.value.length;
      // It ends with plain JSON: whoever has the last piece may have begun.
      if (sent >= body.bytes) watch.read();
      yield piece.value;
    }
  } finally {
    await pieces.return?.();
  }
}

function readHead(
  operation: Operation,
  deadline: Deadline,
  response: Dispatcher.ResponseData,
  flow: Flow,
): Answer {
  const header: HeaderReader = (name) => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  const requestId = requestIdHeaders.map((name) => safeWord(header(name))).find((id) => id !== undefined);
  const body = decompressed(response.body, header('content-encoding'));
  if (!body) {
    response.body.destroy();
    const facts = { operation, requestId, outcome: 'unknown', retryable: false } as const;
    throw new BadResponseError('the response has unknown or too many content encodings', facts);
  }
  flow.mayBeHeld = body === response.body;
  return {
    operation,
    status: response.statusCode,
    header,
    requestId,
    body,
    flow,
    deadline,
    failure: (error) => failure(error, { operation, deadline, requestId, sent: true }),
  };
}

/** Throws the response's error unless its status is 2xx. */
export async function requireSuccess(answer: Answer, now: number): Promise<void> {
  const { operation, status, requestId } = answer;
  if (status < 300) return;
  const body = decodeErrorBody(await errorText(answer));
  throw errorFromAnswer({ operation, status, body, requestId, retryAfter: retryAfter(answer.header, now) });
}

/** As much of an error's body as arrives; the status counts even if the rest is lost. */
async function errorText(answer: Answer): Promise<string> {
  try {
    const { bytes } = await readUpTo(answer.body, longestErrorBody);
    return bytes.toString();
  } catch {
    return '';
  }
}

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** One by the service, and one by a proxy. Each name in a header would take a decoder of its own (CVE-2026-22036). */
const mostEncodings = 2;

/** Ignores stream errors that the reader gets anyway, or that nobody reads any more. */
const ignore = (): void => undefined;

/**
 * The body without its content encoding; `undefined` for an unknown encoding, and for more than two. We don't request
 * compression, but proxies add it.
 */
function decompressed(body: Readable, encoding: string | undefined): Readable | undefined {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  let stream = body.on('error', ignore);
  if (names.length > mostEncodings) return undefined;
  for (const name of names.reverse()) {
    const decoder = decoders.get(name);
    if (!decoder) return undefined;
    stream = pipeline(stream, decoder(), ignore);
  }
  return stream;
}

/** Result of {@link readUpTo}; `whole` is false if the body was longer. */
interface BodyPart {
  bytes: Buffer<ArrayBuffer>;
  whole: boolean;
}

/**
 * Reads a body to its end, or until it exceeds `maxBytes`; then it is dropped, so it is never in memory as a whole.
 * `look` sees each part as it arrives; what it throws ends the reading.
 */
export async function readUpTo(
  body: Readable,
  maxBytes: number,
  look?: (part: Uint8Array) => void,
): Promise<BodyPart> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    look?.(chunk);
    // Leaving the loop destroys the stream, and so the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}

/** How an exchange flows: undici's control of it, passed on to whoever reads the body, and it can be held. */
export class Flow implements Dispatcher.DispatchController {
  /** Not where a decoder works on it: what that hasn't decoded yet is lost where the connection breaks. */
  mayBeHeld = true;
  #controller: Dispatcher.DispatchController | undefined;
  #isHeld = false;

  /**
   * Whether the first byte of the request was about to be written to an open connection. Until then it was certainly
   * not processed; no error code shows that as reliably.
   */
  get hasBegun(): boolean {
    return this.#controller !== undefined;
  }

  begin(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  /**
   * Leaves what arrives with the operating system until then, all but the beginning, and has it read at once: each
   * reading takes as long as several tokens. Takes an agent that reads when it's asked.
   */
  async hold(until: Promise<unknown>): Promise<void> {
    this.#isHeld = this.mayBeHeld;
    if (this.#isHeld) this.pause();
    await until;
    this.#isHeld = false;
    this.resume();
    // It's read within this turn of the event loop.
    await setImmediate();
  }

  get aborted(): boolean {
    return this.#controller?.aborted ?? false;
  }

  get paused(): boolean {
    return this.#controller?.paused ?? false;
  }

  get reason(): Error | null {
    return this.#controller?.reason ?? null;
  }

  abort(reason: Error): void {
    this.#controller?.abort(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  /** A body asks for more as soon as it has room. */
  resume(): void {
    if (!this.#isHeld) this.#controller?.resume();
  }
}

/** A dispatcher whose exchange goes through a flow. */
function through(dispatcher: Dispatcher, flow: Flow): Dispatcher {
  return dispatcher.compose(
    (dispatch) => (options, next) =>
      dispatch(options, {
        onRequestStart(controller, context) {
          next.onRequestStart?.(controller, context);
          flow.begin(controller);
        },
        onResponseStart: (_, ...head) => next.onResponseStart?.(flow, ...head),
        onResponseData: (...data) => next.onResponseData?.(...data),
        onResponseEnd: (...end) => next.onResponseEnd?.(...end),
        onResponseError: (...error) => next.onResponseError?.(...error),
      }),
  );
}

/** The longest pause the service can request, in milliseconds. */
const longestPause = 60_000;

/** Looks up a header by its lower-case name. */
type HeaderReader = (name: string) => string | undefined;

/**
 * The pause a response requests in milliseconds, 0 to 60,000: `retry-after-ms`, otherwise `Retry-After` in seconds or
 * as a date. `undefined` if absent or invalid.
 */
export function retryAfter(header: HeaderReader, now: number): number | undefined {
  const milliseconds = amount(header('retry-after-ms'));
  if (milliseconds !== undefined) return clamp(milliseconds);
  const value = header('retry-after')?.trim();
  const seconds = amount(value);
  if (seconds !== undefined) return clamp(seconds * 1000);
  // Every HTTP date has a colon; without this check `Date.parse` would accept words such as "soon 1".
  const date = value?.includes(':') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

function amount(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,15}(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function clamp(milliseconds: number): number {
  return Math.min(longestPause, Math.max(0, Math.ceil(milliseconds)));
}

/** Why the client stopped a call. */
type Interruption =
  | { kind: 'time'; limit: TimeLimit; milliseconds: number }
  | { kind: 'cancelled' }
  | { kind: 'closed' };

/** The two signals that may stop a call: its caller's, and the client's when it is closed. */
interface Stops {
  cancelled?: AbortSignal | undefined;
  closed: AbortSignal;
}

/** Combines everything that may end a call early, including timeouts, in one signal. */
export class Deadline {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #timers = new Map<TimeLimit, () => void>();
  readonly #unlink: (() => void)[] = [];
  #interruption: Interruption | undefined;

  constructor(clock: Clock, stops: Stops) {
    this.#clock = clock;
    this.#link(stops.closed, { kind: 'closed' });
    if (stops.cancelled) this.#link(stops.cancelled, { kind: 'cancelled' });
  }

  /** Aborted as soon as anything stops the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The reason why the call was stopped, if it was. */
  get interruption(): Interruption | undefined {
    return this.#interruption;
  }

  /** Stops the call after `milliseconds` unless the timeout is cleared; calling it again restarts it. */
  start(limit: TimeLimit, milliseconds: number): void {
    this.lift(limit);
    const stop = () => this.#interrupt({ kind: 'time', limit, milliseconds });
    this.#timers.set(limit, this.#clock.after(milliseconds, stop));
  }

  lift(limit: TimeLimit): void {
    this.#timers.get(limit)?.();
    this.#timers.delete(limit);
  }

  /** Releases all timers and signals at the end of the call. */
  dispose(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    for (const unlink of this.#unlink.splice(0)) unlink();
  }

  #link(signal: AbortSignal, interruption: Interruption): void {
    const stop = () => this.#interrupt(interruption);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#unlink.push(() => signal.removeEventListener('abort', stop));
  }

  #interrupt(interruption: Interruption): void {
    if (this.#interruption) return;
    this.#interruption = interruption;
    this.dispose();
    this.#controller.abort(new Error('interrupted'));
  }
}

/** The state of an exchange when it failed. */
export interface Standing {
  operation: Operation;
  deadline: Deadline;
  /** Whether the whole request may have reached the service. */
  sent: boolean;
  requestId?: string | undefined;
}

/**
 * Maps an error during an exchange: a timeout, the caller's abort, the client's closing, or the connection. Doesn't
 * keep the original error: undici's may contain bytes of the response.
 */
export function failure(error: unknown, standing: Standing): ServiceError {
  if (error instanceof ServiceError) return error;
  const { operation, requestId, deadline, sent } = standing;
  const facts: ErrorFacts = {
    operation,
    requestId,
    outcome: sent ? 'unknown' : 'not-processed',
    retryable: true,
  };
  const interruption = deadline.interruption;
  switch (interruption?.kind) {
    case 'time':
      return new TimeoutError(interruption.limit, interruption.milliseconds, facts);
    case 'cancelled':
      return new CancelledError('cancelled by the caller', { ...facts, retryable: false });
    case 'closed':
      return new ClientClosedError('the client was closed', { ...facts, retryable: false });
    default:
      return connectionError(error, facts);
  }
}

function connectionError(error: unknown, facts: ErrorFacts): ConnectionError {
  const code = systemCode(error);
  const trusted = code === undefined || !/CERT|SIGNATURE|ALTNAME|EPRIVATE/.test(code);
  const sentence = facts.outcome === 'unknown' ? 'the connection was lost' : 'no connection';
  return new ConnectionError(code ? `${sentence} (${code})` : sentence, {
    ...facts,
    code,
    // Retrying doesn't make a certificate valid.
    retryable: trusted,
  });
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return safeWord('code' in error && error.code ? error.code : inner?.code);
}
