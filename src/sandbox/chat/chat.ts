import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { type Clock, sleep } from '../../lib/clock.ts';
import { chatModels } from '../../service-rules/models.ts';
import type { Behavior, StreamVariant } from '../account/behavior.ts';
import { type Fault, faultError, readDirectives } from '../faults/faults.ts';
import {
  applyFaults,
  beforeWork,
  type Call,
  cut,
  duringWork,
  findFault,
  json,
  meter,
  requireCredits,
  send,
  stall,
  wait,
} from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';
import { chatPrice, estimateTokens, type PromptTokens, usageBody } from './tokens.ts';
import { type Message, writeAnswer } from './writer/answer.ts';

/** Roles of the Chat Completions API; the description doesn't list them. */
const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** A valid request of POST /chat/completions. */
type ChatRequest = ReturnType<typeof readChatRequest>;

/** An answer being sent. */
interface ChatAnswer {
  readonly id: string;
  readonly request: ChatRequest;
  readonly text: string;
  /** Why it ended. */
  readonly finish: 'stop' | 'length' | 'content_filter';
  readonly prompt: PromptTokens;
  /** Seconds since the epoch. */
  readonly created: number;
}

const maxMessages = 10_000;

function readChatRequest(body: Parameters) {
  const model = body.choice('model', chatModels);
  const messages = body.list('messages', maxMessages);
  if (messages.length === 0) throw body.invalid('messages', 'an array of at least one message');
  return {
    model,
    messages: messages.map((given, index): Message => {
      const message = new Parameters(given, `messages[${index}]`);
      return { role: message.choice('role', roles), content: message.string('content') };
    }),
    stream: body.flag('stream', false),
    /** Whether a streamed answer includes usage: yes unless `stream_options` says no. */
    usage: body.inner('stream_options').flag('include_usage', true),
  };
}

/** Meters an answer by the text that was written of it. */
function meterChat(call: Call, { request: { model }, prompt }: ChatAnswer, written: string): void {
  const output = estimateTokens(written);
  const { input, cacheRead, cacheCreation } = prompt;
  const tokens = { input, cache_read: cacheRead, cache_creation: cacheCreation, output };
  const microcredits = chatPrice(model, { ...prompt, output });
  meter(call, { operation: 'chat', microcredits, detail: { model, tokens } });
}

/** POST /chat/completions. */
export async function chat(call: Call): Promise<void> {
  const { account } = call;
  const request = readChatRequest(call.body);
  const question = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const faults = account.faults('chat', readDirectives(question));
  const refusals = faults.filter(({ kind }) => kind === 'filter');
  const others = faults.filter((one) => !refusals.includes(one));
  await beforeWork(call, others);
  requireCredits(call, 1);
  const finish = findFault(faults, 'during', 'length') ? 'length' : refusals[0] ? 'content_filter' : 'stop';
  const messages = request.messages.map(({ role, content }) => ({
    role,
    content: readDirectives(content).text,
  }));
  const text = account.answers.shift() ?? writeAnswer(messages, ++account.chats);
  const answer: ChatAnswer = {
    id: `chatcmpl-${call.requestId.slice(4)}`,
    request,
    text: finish === 'stop' ? text : text.slice(0, Math.ceil(text.length * 0.6)).toWellFormed(),
    finish,
    prompt: account.promptCache.count(request.model, request.messages),
    created: Math.floor(call.clock.now() / 1_000),
  };
  const whole = !request.stream || account.behavior.stream.includes('plain_json');
  await (whole ? sendWhole : sendStream)(call, answer, faults);
}

async function sendWhole(call: Call, answer: ChatAnswer, faults: readonly Fault[]): Promise<void> {
  await duringWork(call, faults);
  meterChat(call, answer, answer.text);
  const { id, created, request, text, finish, prompt } = answer;
  const message = { role: 'assistant', content: text };
  const body = {
    id,
    object: 'chat.completion',
    created,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: usageBody({ ...prompt, output: estimateTokens(text) }),
  };
  await send(call, json(body), faults);
}

const maxDeltasBeforeFault = 30;
const charactersPerDelta = 8;
const hugeCharacters = 1024 * 1024;

/** What's thought before an answer, as long as it. */
const thought = 'Let me think. ';

/** The progress of a streamed answer. */
interface Progress {
  /** With what was thought: both are output. */
  written: string;
  /** It failed with an error, so it costs nothing. */
  broken: boolean;
}

/**
 * Streams an answer as Chat Completions chunks: role, deltas, finish reason, usage, `[DONE]`. An answer that is
 * stopped or stalls is charged for what was written.
 */
async function sendStream(call: Call, answer: ChatAnswer, faults: readonly Fault[]): Promise<void> {
  if (findFault(faults, 'after', 'error', 'cut', 'stall')) {
    meterChat(call, answer, answer.text);
    return applyFaults(call, faults, 'after');
  }
  const progress: Progress = { written: '', broken: false };
  const writer = new EventWriter(call.outgoing, call.account.behavior.stream);
  try {
    writer.open();
    for await (const event of chunks(call, answer, faults, progress)) {
      await writer.write(event);
      if (call.left.aborted) return;
    }
  } finally {
    if (!progress.broken) meterChat(call, answer, progress.written);
  }
  writer.end();
}

async function* chunks(
  call: Call,
  answer: ChatAnswer,
  faults: readonly Fault[],
  progress: Progress,
): AsyncGenerator<object | 'done'> {
  yield* beginning(call, answer);
  const pacer = new Pacer(call.clock, call.account.behavior.pace);
  for (const { text, milliseconds } of cutIntoDeltas(thoughtBefore(call, answer))) {
    progress.written += text;
    yield chunk(answer, { reasoning_content: text });
    await pacer.rest(milliseconds, call.left);
  }
  const wrong = findFault(faults, 'during', 'error', 'cut', 'stall', 'end', 'delay');
  const halfway = Math.min(maxDeltasBeforeFault, Math.floor(answer.text.length / charactersPerDelta));
  const faultAt = wrong?.afterDeltas ?? halfway;
  let deltas = 0;
  for (const { text, milliseconds } of cutIntoDeltas(answer.text)) {
    if (wrong && deltas === faultAt && (yield* applyFault(call, answer, wrong, progress))) return;
    deltas += 1;
    progress.written += text;
    yield chunk(answer, { content: text });
    await pacer.rest(milliseconds, call.left);
  }
  if (wrong && deltas <= faultAt && (yield* applyFault(call, answer, wrong, progress))) return;
  yield* ending(call, answer, progress);
}

/** Applies a fault; returns whether it ended the stream. */
async function* applyFault(
  call: Call,
  answer: ChatAnswer,
  wrong: Fault,
  progress: Progress,
): AsyncGenerator<object, boolean> {
  if (wrong.kind === 'delay') await wait(call.clock, wrong.seconds * 1_000, call.left);
  if (wrong.kind === 'cut') cut(call);
  if (wrong.kind === 'stall') await stall(call);
  if (wrong.kind === 'error') {
    progress.broken = true;
    const error = faultError(wrong).body();
    const inChoice = call.account.behavior.stream.includes('error_in_choice');
    yield inChoice ? chunk(answer, { content: '' }, 'error', { error }) : { error };
  }
  return wrong.kind !== 'delay';
}

function* beginning(call: Call, answer: ChatAnswer): Generator<object> {
  const { stream } = call.account.behavior;
  if (!stream.includes('no_role')) yield chunk(answer, { role: 'assistant', content: '' });
  if (stream.includes('null_content')) yield chunk(answer, { content: null });
  if (stream.includes('empty_deltas')) yield chunk(answer, {});
  if (stream.includes('huge_event'))
    yield { ...chunk(answer, { content: '' }), padding: 'x'.repeat(hugeCharacters) };
}

function thoughtBefore(call: Call, { text }: ChatAnswer): string {
  const isThought = call.account.behavior.stream.includes('reasoning');
  return isThought ? thought.repeat(Math.ceil(text.length / thought.length)) : '';
}

function* ending(call: Call, answer: ChatAnswer, { written }: Progress): Generator<object | 'done'> {
  const { stream } = call.account.behavior;
  const tokens = { ...answer.prompt, output: estimateTokens(written) };
  const usage = answer.request.usage && !stream.includes('no_usage') ? usageBody(tokens) : undefined;
  const together = stream.includes('usage_with_finish');
  if (!stream.includes('no_finish'))
    yield { ...chunk(answer, {}, answer.finish), ...(usage && together && { usage }) };
  if (usage && !together) yield { ...chunk(answer, {}), choices: [], usage };
  if (!stream.includes('no_done')) yield 'done';
}

function chunk(
  { id, created, request }: ChatAnswer,
  delta: object,
  finish: string | null = null,
  more: object = {},
): object {
  const choices = [{ index: 0, delta, finish_reason: finish, ...more }];
  return { id, object: 'chat.completion.chunk', created, model: request.model, choices };
}

const wide =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3000-\\u303f\\uff00-\\uffef';
const piece = new RegExp(`\\s*(?:[${wide}]{1,2}|[^\\s${wide}]{1,16})|\\s+`, 'gu');
const startsWide = new RegExp(`^\\s*[${wide}]`, 'u');
const millisecondsPerWord = 20;
const millisecondsPerWidePiece = 25;

/** One delta of a streamed answer. */
interface Delta {
  readonly text: string;
  /** Pause after it at reading speed. */
  readonly milliseconds: number;
}

/** Splits a text into words and pairs of ideographs; the deltas add up to the text. */
export function* cutIntoDeltas(text: string): Generator<Delta> {
  for (const [found] of text.matchAll(piece))
    yield {
      text: found,
      milliseconds: startsWide.test(found) ? millisecondsPerWidePiece : millisecondsPerWord,
    };
}

/** Paces the deltas by the clock; pauses that overrun are made up for. */
export class Pacer {
  readonly #clock: Clock;
  readonly #slowness: number;
  #due: number;

  constructor(clock: Clock, pace: Behavior['pace']) {
    this.#clock = clock;
    this.#slowness = pace === 'instant' ? 0 : 1 / (pace === 'human' ? 1 : pace);
    this.#due = clock.now();
  }

  /** Pauses for this long at reading speed; rejects with the signal's reason when aborted. */
  async rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#slowness === 0) return;
    this.#due += milliseconds * this.#slowness;
    const wait = this.#due - this.#clock.now();
    if (wait >= 1) await sleep(this.#clock, wait, signal);
  }
}

/** Writes server-sent events to a response, one packet per event, in the account's stream variants. */
export class EventWriter {
  readonly #outgoing: ServerResponse;
  readonly #variants: ReadonlySet<StreamVariant>;
  readonly #gzip: Gzip | undefined;
  #events = 0;
  #sent: () => void = () => {};

  constructor(outgoing: ServerResponse, variants: readonly StreamVariant[]) {
    this.#outgoing = outgoing;
    this.#variants = new Set(variants);
    this.#gzip = this.#variants.has('gzip') ? createGzip() : undefined;
    // Node drops the callbacks of pending writes when the client disconnects.
    outgoing.once('close', () => this.#sent());
  }

  /** Sends the headers. */
  open(): void {
    this.#outgoing.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...(this.#gzip && { 'content-encoding': 'gzip' }),
    });
    this.#outgoing.flushHeaders();
    this.#gzip?.pipe(this.#outgoing);
  }

  /** Resolves when the event is flushed, or the client has disconnected. */
  async write(event: object | 'done'): Promise<void> {
    const text = this.#framed(event);
    if (!this.#variants.has('one_byte')) return this.#send(text);
    for (const byte of Buffer.from(text)) {
      await this.#send(Buffer.of(byte));
      // Yield, so that a reader in this process gets each byte separately.
      await setImmediate();
    }
  }

  end(): void {
    (this.#gzip ?? this.#outgoing).end();
  }

  #framed(event: object | 'done'): string {
    const variants = this.#variants;
    const json = JSON.stringify(event, null, variants.has('multiline') ? 1 : undefined);
    const colon = variants.has('no_space') ? 'data:' : 'data: ';
    const lines = (event === 'done' ? '[DONE]' : json).split('\n').map((line) => colon + line);
    if (variants.has('event_names')) lines.unshift('event: message', `id: ${this.#events}`);
    if (variants.has('comments')) lines.unshift(': keep-alive');
    this.#events += 1;
    return [...lines, '', ''].join(variants.has('crlf') ? '\r\n' : '\n');
  }

  #send(data: string | Buffer): Promise<void> {
    const gzip = this.#gzip;
    if (this.#outgoing.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#sent = resolve;
      if (!gzip) this.#outgoing.write(data, () => resolve());
      else gzip.write(data, () => gzip.flush(() => resolve()));
    });
  }
}
