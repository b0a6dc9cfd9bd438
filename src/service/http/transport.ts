import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { decodeErrorBody } from '../decode/error-body.ts';
import { BadResponseError } from '../errors/answered-errors.ts';
import { errorFromAnswer } from '../errors/error-from-answer.ts';
import type { Operation, ServiceError } from '../errors/service-error.ts';
import { safeWord } from '../scrub.ts';
import { decompressed, readUpTo } from './body.ts';
import type { Deadline } from './deadline.ts';
import { failure } from './failure.ts';
import { type HeaderReader, retryAfter } from './retry-after.ts';
import { notingSending } from './sending.ts';

/** A complete HTTP request. */
export interface WireRequest {
  operation: Operation;
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string>;
  body?: Buffer | undefined;
}

/** Status and headers of a response; its body is still to be read under the same deadline. */
export interface Answer {
  operation: Operation;
  status: number;
  header: HeaderReader;
  requestId: string | undefined;
  /** Without its content encoding. */
  body: Readable;
  deadline: Deadline;
  /** Maps an error while reading this response. */
  failure(error: unknown): ServiceError;
}

/** Dependencies of {@link exchange}. */
export interface Wire {
  dispatcher: Dispatcher;
  deadline: Deadline;
}

const longestErrorBody = 65_536;
const requestIdHeaders = ['x-request-id', 'request-id', 'x-svc-request-id', 'x-trace-id', 'trace-id'];

/** Sends a request and returns the response's status and headers, whatever the status. Doesn't follow redirects. */
export async function exchange(wire: Wire, wanted: WireRequest): Promise<Answer> {
  const { operation } = wanted;
  const { deadline } = wire;
  let sent = false;
  const onSending = () => {
    sent = true;
  };
  try {
    const response = await request(wanted.url, {
      dispatcher: notingSending(wire.dispatcher, onSending),
      method: wanted.method,
      headers: wanted.headers,
      body: wanted.body ?? null,
      signal: deadline.signal,
      // Time is limited only by the deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return readHead(operation, deadline, response);
  } catch (error) {
    throw failure(error, { operation, deadline, sent });
  }
}

function readHead(operation: Operation, deadline: Deadline, response: Dispatcher.ResponseData): Answer {
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
  return {
    operation,
    status: response.statusCode,
    header,
    requestId,
    body,
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
