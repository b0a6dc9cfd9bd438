import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import {
  asText,
  decodeErrorBody,
  decodeErrorValue,
  type ErrorBody,
  errorFromAnswer,
  field,
  isErrorAlone,
  isErrorValue,
  isObject,
  parseJson,
  type ShapeReporter,
} from './decode/answer.ts';
import { TaggedThought } from './decode/thought.ts';
import {
  BadResponseError,
  type ErrorFacts,
  type ServiceError,
  TooLargeError,
  TruncatedStreamError,
} from './errors.ts';

/** Options of a {@link ChatDecoder}. */
interface ChatDecoderOptions {
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
  #reasoning = '';
  readonly #thought = new TaggedThought();
  /** So many characters at the beginning of the text that was taken last were taken for what's thought before. */
  repeated = 0;
  #hasText = false;
  /** Something was made: its text, or what's thought before it. */
  hasBegun = false;
  #ending = false;
  #done = false;
  #failure: ServiceError | undefined;
  /** An error, unless words of the answer follow. */
  #complaint: ErrorBody | undefined;
  finishReason: string | undefined;
  /** The service's count so far. */
  usage: ChatUsage | undefined;
  #isCountedToEnd = false;

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

  /** The service's count of the whole answer: one that text follows isn't. */
  get wholeUsage(): ChatUsage | undefined {
    return this.#isCountedToEnd ? this.usage : undefined;
  }

  /** Decodes the text received since the last call. */
  takeText(): string {
    const { text, reasoning, repeated = 0 } = this.#thought.split(this.#text, this.finished || this.#ending);
    this.#text = '';
    this.#reasoning += reasoning;
    this.repeated = repeated;
    return text;
  }

  /** The same of what the model thought, which is output, too. */
  takeReasoning(): string {
    const reasoning = this.#reasoning;
    this.#reasoning = '';
    return reasoning;
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
    if (this.#complaint && this.finishReason === undefined) this.#failWith(this.#complaint);
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
    else if (this.#form === 'json' && isErrorAlone(value)) this.#failWith(decodeErrorValue(value));
    else if (value === undefined || this.#form === 'json')
      this.#fail(new BadResponseError('the response is not a chat completion', this.#facts()));
    else {
      this.#dependencies.shapes.report('chat', 'chunk', value);
      if (isErrorAlone(value)) this.#complaint = decodeErrorValue(value);
    }
  }

  #onPiece(piece: ChatPiece): void {
    // The last chunk may repeat the whole answer.
    if (!(piece.whole && this.#hasText)) this.#text += piece.text;
    if (!(piece.whole && this.hasBegun)) this.#reasoning += piece.reasoning;
    if (piece.text !== '') {
      this.#hasText = true;
      this.#complaint = undefined;
    }
    this.hasBegun ||= this.#hasText || piece.reasoning !== '';
    this.finishReason = piece.finishReason ?? this.finishReason;
    this.usage = piece.usage ?? this.usage;
    if (piece.usage || piece.text !== '' || piece.reasoning !== '') this.#isCountedToEnd = !!piece.usage;
    if (piece.error !== undefined) this.#failWith(decodeErrorValue(piece.error));
    if (this.#form === 'json') this.#done = true;
  }

  #failWith(body: ErrorBody): void {
    const { requestId } = this.#dependencies;
    this.#fail(errorFromAnswer({ operation: 'chat', status: 200, body, requestId, begun: this.hasBegun }));
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

/** Content of one chunk of a stream, or of a whole answer. */
interface ChatPiece {
  /** Text of the answer itself, or of its refusal, without the model's reasoning. */
  text: string;
  reasoning: string;
  /** Whether `text` is the whole answer (`message`) rather than its next part (`delta`). */
  whole: boolean;
  finishReason?: string | undefined;
  /** The error's container if the choice ended with one; it may also have a `finish_reason`. */
  error?: unknown;
  usage?: ChatUsage | undefined;
}

/**
 * Decodes a Chat Completions chunk or answer: `choices[].delta` or `choices[].message`, only the first choice.
 * `undefined` for anything else.
 */
export function decodeChatPiece(value: unknown): ChatPiece | undefined {
  const body = 'choices' in Object(value) ? value : (field(value, 'data') ?? value);
  const choices = field(body, 'choices');
  const usage = decodeUsage(field(body, 'usage'));
  if (!Array.isArray(choices)) return usage && { text: '', reasoning: '', whole: false, usage };
  const choice = choices.find((entry) => Number(field(entry, 'index') ?? 0) === 0);
  const delta = field(choice, 'delta');
  const said = delta ?? field(choice, 'message');
  const content = field(said, 'content') ?? field(choice, 'text');
  const finishReason = reasonOf(asText(field(choice, 'finish_reason')));
  const error = field(choice, 'error');
  return {
    text: textOf(content) || textOf(field(said, 'refusal')),
    reasoning: textOf(field(said, 'reasoning_content', 'reasoning')),
    whole: delta === undefined,
    finishReason,
    error: finishReason === 'error' || (error !== undefined && isErrorValue({ error })) ? choice : undefined,
    usage: usage ?? decodeUsage(field(choice, 'usage')),
  };
}

/** Other makers' words for why an answer ends; the service bundles models of several. */
const otherReasons: readonly (readonly [RegExp, string])[] = [
  [/^(?:max.*tokens|model_context_window_exceeded)$/i, 'length'],
  [/^(?:safety|sensitive|recitation|refusal)$/i, 'content_filter'],
  [/^(?:network_error|insufficient_system_resource)$/i, 'error'],
];

function reasonOf(word: string | undefined): string | undefined {
  // Some write null as a word.
  if (word === undefined || word === 'null') return undefined;
  return otherReasons.find(([pattern]) => pattern.test(word))?.[1] ?? word;
}

/** A string, or the text of parts (`[{type: 'text', text}]`); empty if null or absent. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

/** Tokens of a chat answer, split like the price table (description, section 8). */
export interface ChatUsage {
  /** Prompt tokens neither read from nor written to the cache. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
}

/** More than any model reads or writes in one answer. A larger count is an error that would use up every budget. */
const mostTokens = 100_000_000;

/**
 * Decodes `prompt_tokens` and `completion_tokens` (prompt tokens include cached ones) or `input_tokens` and
 * `output_tokens` with separate cache tokens. `undefined` if neither is reported, or if a count is impossible.
 */
export function decodeUsage(value: unknown): ChatUsage | undefined {
  const usage = readUsage(value);
  return usage && Object.values(usage).every((tokens) => tokens <= mostTokens) ? usage : undefined;
}

function readUsage(value: unknown): ChatUsage | undefined {
  if (value === undefined) return undefined;
  const prompt = count(field(value, 'prompt_tokens'));
  const input = prompt ?? count(field(value, 'input_tokens'));
  const output = count(field(value, 'completion_tokens', 'output_tokens'));
  if (input === undefined && output === undefined) return undefined;
  const details = field(value, 'prompt_tokens_details', 'input_tokens_details');
  const within = count(field(details, 'cached_tokens')) ?? count(field(value, 'prompt_cache_hit_tokens'));
  const withinCreation = count(field(details, 'cache_creation_tokens'));
  const cacheRead = within ?? count(field(value, 'cache_read_input_tokens')) ?? 0;
  const cacheCreation = withinCreation ?? count(field(value, 'cache_creation_input_tokens')) ?? 0;
  const cached = cacheRead + cacheCreation;
  const isSaidApart = prompt === undefined && within === undefined && withinCreation === undefined;
  const inputTokens = isSaidApart || cached > (input ?? 0) ? (input ?? 0) : (input ?? 0) - cached;
  return {
    inputTokens,
    // Some count what's thought in the total alone.
    outputTokens: Math.max(output ?? 0, (count(field(value, 'total_tokens')) ?? 0) - inputTokens - cached),
    cacheReadTokens: cacheRead,
    cacheCreationTokens: cacheCreation,
  };
}

/** Some write numbers as texts. */
function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
