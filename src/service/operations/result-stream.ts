import { beginsLikeText, isTextType, mediaType, mediaTypeBytes } from '../decode/media.ts';
import { TooLargeError } from '../errors.ts';
import { badResponse, unusable } from '../http/read-json.ts';
import type { Answer } from '../http/transport.ts';

/**
 * A result being downloaded: read `stream` to its end, leave it early, or call `cancel`; each releases its
 * connection.
 */
export interface Download {
  /** Detected from the first bytes, otherwise as the service says. */
  contentType: string | undefined;
  /** Total bytes, if the service says. */
  length: number | undefined;
  stream: AsyncIterable<Uint8Array>;
  cancel(): void;
}

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/** A response's body as a download; limits in bytes, and in milliseconds between two chunks. */
export async function resultFrom(
  answer: Answer,
  limits: { maxBytes: number; idle: number },
): Promise<Download> {
  const length = lengthOf(answer);
  if (length !== undefined && length > limits.maxBytes)
    throw new TooLargeError(limits.maxBytes, length, unusable(answer, false));
  const chunks = limited(answer, limits.maxBytes, limits.idle);
  const head = await peek(chunks);
  if (head.length === 0) throw badResponse(answer, 'the result is empty');
  const start = Buffer.concat(head);
  const contentType = mediaType(start) ?? answer.header('content-type')?.trim();
  if (beginsLikeText(start) || (contentType && isTextType.test(contentType)))
    throw badResponse(answer, 'the result is a text');
  const cancel = () => {
    answer.body.destroy();
    answer.deadline.dispose();
  };
  return { contentType, length, stream: joined(head, chunks, cancel), cancel };
}

/** A result that was part of a response, in the same form as a downloaded one. */
export function resultFromMemory(
  result: { bytes: Uint8Array; contentType: string | undefined },
  maxBytes: number,
): Download {
  const { bytes, contentType } = result;
  if (bytes.length > maxBytes) {
    const facts = { operation: 'download', outcome: 'rejected', retryable: false } as const;
    throw new TooLargeError(maxBytes, bytes.length, facts);
  }
  async function* stream(): Chunks {
    yield bytes;
  }
  return { contentType, length: bytes.length, stream: stream(), cancel: () => undefined };
}

function lengthOf(answer: Answer): number | undefined {
  const told = answer.header('content-length');
  const encoded = answer.header('content-encoding') !== undefined;
  return told !== undefined && /^\d{1,15}$/.test(told) && !encoded ? Number(told) : undefined;
}

/** The idle timeout runs only while this side waits: a slow reader isn't the sender's fault. */
async function* limited(answer: Answer, maxBytes: number, idle: number): Chunks {
  const { deadline, body } = answer;
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  let length = 0;
  try {
    for (;;) {
      deadline.start('idle', idle);
      const step = await chunks.next();
      deadline.lift('idle');
      if (step.done) return;
      length += step.value.length;
      if (length > maxBytes) throw new TooLargeError(maxBytes, undefined, unusable(answer, false));
      yield step.value;
    }
  } catch (error) {
    throw answer.failure(error);
  } finally {
    deadline.dispose();
    body.destroy();
  }
}

async function peek(chunks: Chunks): Promise<Uint8Array[]> {
  const head: Uint8Array[] = [];
  for (let length = 0; length < mediaTypeBytes;) {
    const step = await chunks.next();
    if (step.done) break;
    head.push(step.value);
    length += step.value.length;
  }
  return head;
}

async function* joined(head: readonly Uint8Array[], chunks: Chunks, cancel: () => void): Chunks {
  try {
    yield* head;
    yield* chunks;
  } finally {
    cancel();
  }
}
