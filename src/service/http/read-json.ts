import { parseJson } from '../decode/read.ts';
import { BadResponseError } from '../errors/answered-errors.ts';
import { TooLargeError } from '../errors/local-errors.ts';
import type { ErrorFacts } from '../errors/service-error.ts';
import { readUpTo } from './body.ts';
import { largeJsonBytes, parseLargeJson } from './large-json.ts';
import type { Answer } from './transport.ts';

/** Error details for an unusable response: the request may well have been processed. */
export function unusable(answer: Answer, retryable: boolean): ErrorFacts {
  const { operation, requestId } = answer;
  return { operation, requestId, outcome: 'unknown', retryable };
}

/** The response isn't the expected one; `what` describes it in our words, without its content. */
export function badResponse(answer: Answer, what: string): BadResponseError {
  return new BadResponseError(what, unusable(answer, true));
}

/** The whole body, up to `maxBytes`. */
export async function readWhole(answer: Answer, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const { bytes, whole } = await readUpTo(answer.body, maxBytes).catch((error) => {
    throw answer.failure(error);
  });
  if (!whole) throw new TooLargeError(maxBytes, undefined, unusable(answer, false));
  return bytes;
}

/** The JSON value of the whole body, regardless of its content type. */
export async function readJson(answer: Answer, maxBytes: number): Promise<unknown> {
  const bytes = await readWhole(answer, maxBytes);
  const value = await parse(answer, bytes);
  if (value === undefined) throw badResponse(answer, 'the answer is no JSON');
  return value;
}

async function parse(answer: Answer, bytes: Buffer<ArrayBuffer>): Promise<unknown> {
  if (bytes.length < largeJsonBytes) return parseJson(bytes.toString());
  return parseLargeJson(bytes, answer.deadline.signal).catch((error) => {
    throw answer.failure(error);
  });
}
