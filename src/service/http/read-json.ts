import { Worker } from 'node:worker_threads';
import { parseJson } from '../decode/answer.ts';
import { BadResponseError, type ErrorFacts, TooLargeError } from '../errors.ts';
import { type Answer, readUpTo } from './transport.ts';

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
interface JsonLimits {
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

const [quote, backslash, comma, bracket, brace] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/**
 * About how many values a JSON text holds, counted as its bytes arrive, before anything is parsed: a few kilobytes of
 * compressed brackets would take gigabytes as objects.
 */
class JsonBreadth {
  #values = 1;
  #isText = false;
  #isEscaped = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isText) {
        if (byte === quote) this.#isText = false;
        else if (byte === backslash) this.#isEscaped = true;
      } else if (byte === quote) this.#isText = true;
      else if (byte === comma || byte === bracket || byte === brace) this.#values += 1;
    }
  }

  /** Commas, arrays and objects outside of texts, and one. */
  get values(): number {
    return this.#values;
  }
}

/** Bodies of at least this size are parsed in a worker thread, in bytes. */
const largeJsonBytes = 2 ** 20;

/** The worker's JavaScript heap, in MiB. */
const maxHeap = 512;

/**
 * Parses JSON in a worker thread, because megabytes of base64 would block the event loop. Long base64 texts and data
 * URLs are returned as bytes. Resolves with `undefined` if it isn't JSON; rejects with the signal's reason. The bytes
 * are transferred, not copied, and empty afterwards.
 */
export function parseLargeJson(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<unknown> {
  const worker = new Worker(new URL('./large-json-worker.ts', import.meta.url), {
    workerData: bytes,
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: maxHeap },
  });
  return new Promise<unknown>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the worker ended without a result'));
    });
  }).finally(() => worker.terminate());
}
