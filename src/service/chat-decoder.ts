import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import { type ChatPiece, decodeChatPiece } from './decode/chat-chunk.ts';
import { decodeErrorBody, decodeErrorValue, type ErrorBody, isErrorValue } from './decode/error-body.ts';
import { field, parseJson } from './decode/read.ts';
import type { ShapeReporter } from './decode/shape.ts';
import type { ChatUsage } from './decode/usage.ts';
import { BadResponseError, TruncatedStreamError } from './errors/answered-errors.ts';
import { errorFromAnswer } from './errors/error-from-answer.ts';
import { TooLargeError } from './errors/local-errors.ts';
import type { ErrorFacts, ServiceError } from './errors/service-error.ts';

/** Options of a {@link ChatDecoder}. */
export interface ChatDecoderOptions {
  requestId: string | undefined;
  shapes: ShapeReporter;
  /** Maximum characters of one event. */
  eventCharacters: number;
  /** Maximum characters of the raw response. */
  answerCharacters: number;
}

/**
 * Decodes the characters of a chat response into its text: server-sent events, or plain JSON, which some services
 * return even for a stream. Detected by the first character, not the content type.
 */
export class ChatDecoder {
  readonly #dependencies: ChatDecoderOptions;
  readonly #events: EventSourceParser;
  #form: 'unknown' | 'events' | 'json' = 'unknown';
  readonly #json: string[] = [];
  #length = 0;
  #text = '';
  #begun = false;
  #ending = false;
  #done = false;
  #failure: ServiceError | undefined;
  finishReason: string | undefined;
  usage: ChatUsage | undefined;

  constructor(dependencies: ChatDecoderOptions) {
    this.#dependencies = dependencies;
    this.#events = createParser({
      maxBufferSize: dependencies.eventCharacters,
      onEvent: (event) => this.#onEvent(event),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#tooLarge(dependencies.eventCharacters);
      },
    });
  }

  /** Whether nothing more can come, or the response is an error. */
  get over(): boolean {
    return this.#done || this.#failure !== undefined;
  }

  /** Whether the answer is complete, though usage may still follow. */
  get finished(): boolean {
    return this.#done || this.finishReason !== undefined;
  }

  /** Decodes the text received since the last call. */
  takeText(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  feed(characters: string): void {
    if (this.over) return;
    if (this.#form === 'unknown') this.#tellForm(characters);
    if (this.#form === 'events') this.#events.feed(characters);
    if (this.#form === 'json') this.#json.push(characters);
    this.#length += characters.length;
    if (this.#length > this.#dependencies.answerCharacters)
      this.#tooLarge(this.#dependencies.answerCharacters);
  }

  /** Ends the response: decodes a last line without a line feed. */
  end(): void {
    if (this.over) return;
    this.#ending = true;
    if (this.#form === 'events') this.#events.feed('\n\n');
    if (this.#form === 'json') this.#onJson(parseJson(this.#json.join('')));
  }

  /** Throws if the response is an error or incomplete. */
  check(): void {
    if (this.#failure) throw this.#failure;
    if (!this.finished) throw truncated(this.#dependencies.requestId);
  }

  #tellForm(characters: string): void {
    const first = characters.trimStart()[0];
    if (first === undefined) return;
    if (first === '<') this.#fail(new BadResponseError('the response is an HTML page', this.#facts()));
    else this.#form = first === '{' || first === '[' ? 'json' : 'events';
  }

  #onEvent(event: EventSourceMessage): void {
    if (this.over) return;
    const data = event.data.trim();
    if (data === '[DONE]') this.#done = true;
    else if (event.event === 'error') this.#failWith(decodeErrorBody(data));
    else if (data.startsWith('{')) this.#onJson(parseJson(data));
    else if (data !== '') this.#dependencies.shapes.report('chat', 'event that is no JSON', data);
  }

  #onJson(value: unknown): void {
    const piece = decodeChatPiece(value);
    // A stream has thousands of chunks, so their type is checked first.
    if ((!piece || field(value, 'error') !== undefined) && isErrorValue(value))
      this.#failWith(decodeErrorValue(value));
    else if (piece) this.#onPiece(piece);
    else if (value === undefined && this.#ending && this.#form === 'events')
      this.#fail(truncated(this.#dependencies.requestId));
    else if (value === undefined || this.#form === 'json')
      this.#fail(new BadResponseError('the response is not a chat completion', this.#facts()));
    else this.#dependencies.shapes.report('chat', 'chunk', value);
  }

  #onPiece(piece: ChatPiece): void {
    // The last chunk may repeat the whole answer.
    if (!(piece.whole && this.#begun)) this.#text += piece.text;
    if (piece.text !== '') this.#begun = true;
    this.finishReason = piece.finishReason ?? this.finishReason;
    this.usage = piece.usage ?? this.usage;
    if (piece.error !== undefined) this.#failWith(decodeErrorValue(piece.error));
    if (this.#form === 'json') this.#done = true;
  }

  #failWith(body: ErrorBody): void {
    const { requestId } = this.#dependencies;
    this.#fail(errorFromAnswer({ operation: 'chat', status: 200, body, requestId, begun: this.#begun }));
  }

  #tooLarge(limit: number): void {
    this.#fail(new TooLargeError(limit, undefined, this.#facts()));
  }

  #fail(error: ServiceError): void {
    this.#failure ??= error;
  }

  #facts(): ErrorFacts {
    return {
      operation: 'chat',
      requestId: this.#dependencies.requestId,
      outcome: 'unknown',
      retryable: false,
    };
  }
}

/** The response ended, or its connection was lost, before it was complete. */
export function truncated(requestId: string | undefined, code?: string): TruncatedStreamError {
  const facts = { operation: 'chat', outcome: 'unknown', retryable: true, requestId, code } as const;
  return new TruncatedStreamError('the response ended before it was complete', facts);
}
