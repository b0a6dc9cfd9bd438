import type { Readable } from 'node:stream';
import type { Clock } from '../lib/clock.ts';
import { type ChatDecoder, truncated } from './chat-decoder.ts';
import type { ChatUsage } from './decode/usage.ts';
import { ConnectionError, TimeoutError } from './errors/local-errors.ts';
import type { Answer } from './http/transport.ts';

/** A part of a chat answer, or its end, which comes once, last. */
export type ChatEvent =
  | {
      type: 'text';
      text: string;
      /** What the service has counted so far, where it tells before the end. */
      usage?: ChatUsage;
    }
  | {
      type: 'end';
      /** `stop`, `length`, `content_filter`, …; `undefined` if the service doesn't say. */
      finishReason: string | undefined;
      usage: ChatUsage | undefined;
      requestId: string | undefined;
    };

/** Timeouts in milliseconds; none if omitted. */
export interface StreamLimits {
  idle?: number;
  total?: number;
}

/** How long to wait for usage once the answer is complete. */
const afterFinish = 5_000;
/** How long a finished answer may take to end its body, so that its connection can be reused. */
const untilReleased = 1_000;

/**
 * Reads a chat answer as it arrives; everything that arrives together is one event. The idle timeout runs only while
 * this side waits for the service, not while the reader is busy. Leaving early aborts the request.
 */
export async function* readChat(
  answer: Answer,
  decoder: ChatDecoder,
  clock: Clock,
  limits: StreamLimits = {},
): AsyncGenerator<ChatEvent, void, undefined> {
  const { deadline, body, requestId } = answer;
  if (limits.total !== undefined) deadline.start('total', limits.total);
  deadline.lift('response');
  // Leaving the iterator must not close the connection of a complete answer.
  const chunks = body.iterator({ destroyOnReturn: false });
  const utf8 = new TextDecoder();
  let complete = false;
  try {
    while (!decoder.over) {
      const idle = decoder.finished ? afterFinish : limits.idle;
      const chunk = await next(answer, decoder, chunks, idle);
      decoder.feed(utf8.decode(chunk, { stream: chunk !== undefined }));
      if (chunk === undefined) decoder.end();
      const text = decoder.takeText();
      if (text !== '') yield { type: 'text', text, ...(decoder.usage && { usage: decoder.usage }) };
      if (chunk === undefined) break;
    }
    decoder.check();
    complete = true;
    deadline.dispose();
    await release(body, chunks, clock);
    yield { type: 'end', finishReason: decoder.finishReason, usage: decoder.usage, requestId };
  } finally {
    deadline.dispose();
    if (!complete) body.destroy();
  }
}

/** The next bytes; `undefined` at the end, also if a complete answer just breaks off. */
async function next(
  answer: Answer,
  decoder: ChatDecoder,
  chunks: AsyncIterator<Buffer>,
  idle: number | undefined,
): Promise<Buffer | undefined> {
  if (idle !== undefined) answer.deadline.start('idle', idle);
  try {
    const step = await chunks.next();
    return step.done ? undefined : step.value;
  } catch (error) {
    const known = answer.failure(error);
    const broken = known instanceof ConnectionError || known instanceof TimeoutError;
    if (broken && decoder.finished) return undefined;
    throw known instanceof ConnectionError ? truncated(answer.requestId, known.code) : known;
  } finally {
    answer.deadline.lift('idle');
  }
}

async function release(body: Readable, chunks: AsyncIterator<Buffer>, clock: Clock): Promise<void> {
  await chunks.return?.();
  if (body.destroyed) return;
  const cancel = clock.after(untilReleased, () => body.destroy());
  body.once('close', cancel).resume();
}
