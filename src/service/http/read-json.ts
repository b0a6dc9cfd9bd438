import { parseJson } from '../decode/read.ts';
import { BadResponseError } from '../errors/answered-errors.ts';
import { TooLargeError } from '../errors/local-errors.ts';
import type { ErrorFacts } from '../errors/service-error.ts';
import { readUpTo } from './body.ts';
import { JsonBreadth } from './json-breadth.ts';
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
export async function readWhole(
  answer: Answer,
  maxBytes: number,
  look?: (part: Uint8Array) => void,
): Promise<Buffer<ArrayBuffer>> {
  const { bytes, whole } = await readUpTo(answer.body, maxBytes, look).catch((error) => {
    throw error instanceof BadResponseError ? error : answer.failure(error);
  });
  if (!whole) throw new TooLargeError(maxBytes, undefined, unusable(answer, false));
  return bytes;
}

/** How large a JSON answer may be. */
export interface JsonLimits {
  readonly bytes: number;
  /** Objects, arrays and what they hold; texts may be of any length. */
  readonly values: number;
}

/** The JSON value of the whole body, regardless of its content type. */
export async function readJson(answer: Answer, most: JsonLimits): Promise<unknown> {
  const breadth = new JsonBreadth();
  const bytes = await readWhole(answer, most.bytes, (part) => {
    breadth.add(part);
    if (breadth.values > most.values)
      throw new BadResponseError('the answer holds too many values', unusable(answer, false));
  });
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
