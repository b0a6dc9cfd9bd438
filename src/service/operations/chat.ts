import type { Call } from '../calls.ts';
import { ChatDecoder } from '../chat-decoder.ts';
import { type ChatEvent, readChat, type StreamLimits } from '../chat-stream.ts';
import type { ChatUsage } from '../decode/usage.ts';
import { CancelledError, InvalidRequestError } from '../errors/local-errors.ts';
import type { Answer } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';
import { type ChatRequest, validateChat } from '../validate/chat.ts';
import type { Context } from './context.ts';

/** A reader may leave a stream before its end. */
const left = { operation: 'chat', outcome: 'unknown', retryable: false } as const;

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
    const { streamIdle: idle, stream: total } = this.#context.timeouts;
    const { calls } = this.#context;
    const watched = calls.watch(call);
    const read = async (answer: Answer) => {
      const events = this.#read(answer, { idle, total });
      return { first: await events.next(), rest: events };
    };
    const { first, rest } = await watched.run(() => calls.runWatched(call, options, read, watched));
    watched.firstToken(request.model);
    let failed: unknown = new CancelledError('the stream was left', left);
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
    return readChat(answer, decoder, clock, limits);
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
