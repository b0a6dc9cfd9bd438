import type { Readable } from 'node:stream';
import { type Clock, sleep } from '../../lib/clock.ts';
import { type ChatModel, chatModels } from '../../service-rules/models.ts';
import type { Call, Context } from '../calls.ts';
import { ChatDecoder, type ChatUsage, truncated } from '../chat-decoder.ts';
import { CancelledError, ConnectionError, type Fault, InvalidRequestError, TimeoutError } from '../errors.ts';
import type { Answer } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';
import { checkObject, listOf, oneOf, required, type Rules, text } from '../validation.ts';

/** How a stream ends whose reader leaves it before its end. Nobody sees it thrown, so it's made once. */
const left = new CancelledError('the stream was left', {
  operation: 'chat',
  outcome: 'unknown',
  retryable: false,
});

/** A complete chat answer. */
export interface ChatAnswer {
  text: string;
  /** `stop`, `length`, `content_filter`, …; `undefined` if the service doesn't say. */
  finishReason: string | undefined;
  usage: ChatUsage | undefined;
  requestId: string | undefined;
}

/** Chat (description, POST /chat/completions). */
export class Chat {
  readonly #context: Context;
  readonly #readers = new Set<Answer>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Requests an answer and returns it when it is complete. */
  async create(request: ChatRequest, options: CallOptions = {}): Promise<ChatAnswer> {
    const call = this.#call(request, false);
    return this.#context.calls.run(call, options, (answer) => this.#collect(answer));
  }

  /**
   * Requests an answer and yields it as it is generated: `text` events, then one `end`. Nothing is sent before the
   * first event is requested. Leaving the loop aborts the request; so does the signal. Retried only if no text has
   * arrived and the request was certainly not processed.
   */
  async *stream(request: ChatRequest, options: CallOptions = {}): AsyncGenerator<ChatEvent, void, undefined> {
    const call = this.#call(request, true);
    const { streamStart: start, streamIdle: idle, stream: total } = this.#context.timeouts;
    const { calls } = this.#context;
    const watched = calls.watch(call);
    const read = async (answer: Answer) => {
      const events = this.#read(answer, { start, idle, total });
      return { first: await events.next(), rest: events };
    };
    const { first, rest } = await watched.run(() => calls.runWatched(call, options, read, watched));
    watched.firstToken(request.model);
    let failed: unknown = left;
    try {
      if (!first.done) yield first.value;
      yield* rest;
      failed = undefined;
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      watched.over(failed);
      await rest.return();
    }
  }

  #call(request: ChatRequest, stream: boolean): Call {
    const faults = validateChat(request);
    if (faults.length > 0) throw new InvalidRequestError('chat', faults);
    const { streamStart, chat } = this.#context.timeouts;
    const messages = request.messages.map(({ role, content }) => ({ role, content: content.toWellFormed() }));
    return {
      operation: 'chat',
      group: 'chat',
      method: 'POST',
      path: '/chat/completions',
      accept: stream ? 'text/event-stream, application/json' : 'application/json',
      body: { model: request.model, messages, stream },
      paid: true,
      limit: stream ? streamStart : chat,
      open: stream,
    };
  }

  #read(answer: Answer, limits: StreamLimits): AsyncGenerator<ChatEvent, void, undefined> {
    const { clock, shapes, limits: bounds } = this.#context;
    const decoder = new ChatDecoder({
      requestId: answer.requestId,
      shapes,
      eventCharacters: bounds.eventCharacters,
      answerCharacters: bounds.answerBytes,
    });
    return readChat(answer, decoder, clock, limits, this.#readers);
  }

  /** One reader for both: a service may stream without being asked to. */
  async #collect(answer: Answer): Promise<ChatAnswer> {
    const parts: string[] = [];
    let end: (ChatEvent & { type: 'end' }) | undefined;
    for await (const event of this.#read(answer, {})) {
      if (event.type === 'text') parts.push(event.text);
      else end = event;
    }
    const { finishReason, usage, requestId } = end ?? {};
    return { text: parts.join(''), finishReason, usage, requestId };
  }
}

/** A part of a chat answer, or its end, which comes once, last. */
export type ChatEvent =
  | {
      type: 'text';
      text: string;
      /** What the model thought before it: nobody reads it, but it's charged like the text. */
      reasoning?: string;
      /** So many characters at the beginning of `text` came as `reasoning` before: it's the answer after all. */
      repeated?: number;
      /** The service's count so far, where it tells before the end. */
      usage?: ChatUsage;
      /** No text follows: all of it came at once, or the service has said by now that it's over. */
      isLast?: true;
    }
  | {
      type: 'end';
      /** `stop`, `length`, `content_filter`, …; `undefined` if the service doesn't say. */
      finishReason: string | undefined;
      usage: ChatUsage | undefined;
      requestId: string | undefined;
    };

/** Timeouts in milliseconds; none if omitted. */
interface StreamLimits {
  /** Until the first words: a model may think without telling. */
  start?: number;
  /** Between two pieces after them. */
  idle?: number;
  total?: number;
}

/** So many answers at once are read as they arrive. */
const fewReaders = 8;
/** Of more answers, what arrives within this time is read together, in milliseconds. */
const gathering = 100;
/** How long to wait for usage once the answer is complete. */
const afterFinish = 5_000;
/** How long a finished answer may take to end its body, so that its connection can be reused. */
const untilReleased = 1_000;

/**
 * Reads a chat answer as it arrives; everything that arrives together is one event. The idle timeout runs only while
 * this side waits for the service, not while the reader is busy. Leaving early aborts the request. `readers` are all
 * that are read now.
 */
async function* readChat(
  answer: Answer,
  decoder: ChatDecoder,
  clock: Clock,
  limits: StreamLimits,
  readers: Set<Answer>,
): AsyncGenerator<ChatEvent, void, undefined> {
  const { deadline, body, flow, requestId } = answer;
  if (limits.total !== undefined) deadline.start('total', limits.total);
  deadline.lift('response');
  // Leaving the iterator must not close the connection of a complete answer.
  const chunks = body.iterator({ destroyOnReturn: false });
  const utf8 = new TextDecoder();
  let complete = false;
  readers.add(answer);
  try {
    while (!decoder.over) {
      const idle = decoder.finished ? afterFinish : decoder.hasBegun ? limits.idle : limits.start;
      const chunk = await next(answer, decoder, chunks, idle);
      decoder.feed(utf8.decode(chunk, { stream: chunk !== undefined }));
      if (chunk === undefined) decoder.end();
      const [text, reasoning, { usage, repeated }] = [decoder.takeText(), decoder.takeReasoning(), decoder];
      if (text !== '' || reasoning !== '')
        yield {
          type: 'text',
          text,
          ...(reasoning !== '' && { reasoning }),
          ...(repeated > 0 && { repeated }),
          ...(usage && { usage }),
          ...(decoder.finished && { isLast: true }),
        };
      if (chunk === undefined) break;
      // Whatever ends the wait ends the next reading, too.
      if (readers.size > fewReaders && !decoder.over)
        await flow.hold(sleep(clock, gathering, deadline.signal).catch(() => {}));
    }
    decoder.check();
    complete = true;
    deadline.dispose();
    await release(body, chunks, clock);
    yield { type: 'end', finishReason: decoder.finishReason, usage: decoder.wholeUsage, requestId };
  } finally {
    readers.delete(answer);
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
    return step.done ? undefined : arrived(answer.body, step.value);
  } catch (error) {
    const known = answer.failure(error);
    // What arrived before the connection broke, while nobody was reading.
    const last = known instanceof ConnectionError ? arrived(answer.body) : undefined;
    if (last) return last;
    const broken = known instanceof ConnectionError || known instanceof TimeoutError;
    if (broken && decoder.finished) return undefined;
    throw known instanceof ConnectionError ? truncated(answer.requestId, known.code) : known;
  } finally {
    answer.deadline.lift('idle');
  }
}

/** All that has arrived, after `first`: from Node 26 on, a stream hands out one piece at a time. */
function arrived(body: Readable, first?: Buffer): Buffer | undefined {
  const pieces = first ? [first] : [];
  while (body.readableLength > 0) {
    const piece: Buffer | null = body.read();
    if (!piece) break;
    pieces.push(piece);
  }
  return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0];
}

async function release(body: Readable, chunks: AsyncIterator<Buffer>, clock: Clock): Promise<void> {
  await chunks.return?.();
  if (body.destroyed) return;
  const cancel = clock.after(untilReleased, () => body.destroy());
  body.once('close', cancel).resume();
}

/** One message of a conversation (description, section 2, which doesn't list the roles). */
export interface ChatMessage {
  role: string;
  content: string;
}

/** Request of `chat.create` and `chat.stream` (description, POST /chat/completions). */
export interface ChatRequest {
  model: ChatModel;
  messages: readonly ChatMessage[];
}

const message: Rules<ChatMessage> = { role: required(text()), content: required(text({ blank: true })) };

const request: Rules<ChatRequest> = {
  model: required(oneOf(chatModels)),
  messages: required(listOf((value, field) => checkObject(message, value, field), { min: 1 })),
};

/** Validates a chat request; returns all faults. */
export function validateChat(value: unknown): Fault[] {
  return checkObject(request, value);
}
