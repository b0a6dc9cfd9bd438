import { sleep } from '../../lib/clock.ts';
import { type Fault, faultError } from '../faults/faults.ts';
import type { Call, Dependencies } from '../http/call.ts';
import { afterWork, cut, findFault, stall } from '../http/send.ts';
import { type ChatAnswer, meterChat } from './chat-answer.ts';
import { EventWriter } from './event-writer.ts';
import { cutIntoDeltas, Pacer } from './pacing.ts';
import { estimateTokens } from './tokens.ts';
import { usageBody } from './usage.ts';

const maxDeltasBeforeFault = 30;
const charactersPerDelta = 8;
const hugeCharacters = 1024 * 1024;

/** The progress of a streamed answer. */
interface Progress {
  written: string;
  /** It failed with an error, so it costs nothing. */
  broken: boolean;
}

/**
 * Streams an answer as Chat Completions chunks: role, deltas, finish reason, usage, `[DONE]`. An answer that is
 * stopped or stalls is charged for what was written.
 */
export async function sendStream(
  dependencies: Dependencies,
  call: Call,
  answer: ChatAnswer,
  faults: readonly Fault[],
): Promise<void> {
  if (findFault(faults, 'after', 'error', 'cut', 'stall')) {
    meterChat(dependencies, call, answer, estimateTokens(answer.text));
    return afterWork(dependencies, call, faults);
  }
  const progress: Progress = { written: '', broken: false };
  const writer = new EventWriter(call.outgoing, call.account.behavior.stream);
  try {
    writer.open();
    for await (const event of chunks(dependencies, call, answer, faults, progress)) {
      await writer.write(event);
      if (call.left.aborted) return;
    }
  } finally {
    if (!progress.broken) meterChat(dependencies, call, answer, estimateTokens(progress.written));
  }
  writer.end();
}

async function* chunks(
  dependencies: Dependencies,
  call: Call,
  answer: ChatAnswer,
  faults: readonly Fault[],
  progress: Progress,
): AsyncGenerator<object | 'done'> {
  yield* beginning(call, answer);
  const wrong = findFault(faults, 'during', 'error', 'cut', 'stall', 'end', 'delay');
  const faultAt = wrong?.afterDeltas ?? defaultFaultAt(answer.text);
  const pacer = new Pacer(dependencies.clock, call.account.behavior.pace);
  let deltas = 0;
  for (const { text, milliseconds } of cutIntoDeltas(answer.text)) {
    if (wrong && deltas === faultAt && (yield* applyFault(dependencies, call, answer, wrong, progress)))
      return;
    deltas += 1;
    progress.written += text;
    yield chunk(answer, { content: text });
    await pacer.rest(milliseconds, call.left);
  }
  if (wrong && deltas <= faultAt && (yield* applyFault(dependencies, call, answer, wrong, progress))) return;
  yield* ending(call, answer);
}

function defaultFaultAt(text: string): number {
  return Math.min(maxDeltasBeforeFault, Math.floor(text.length / charactersPerDelta));
}

/** Applies a fault; returns whether it ended the stream. */
async function* applyFault(
  dependencies: Dependencies,
  call: Call,
  answer: ChatAnswer,
  wrong: Fault,
  progress: Progress,
): AsyncGenerator<object, boolean> {
  if (wrong.kind === 'delay') await sleep(dependencies.clock, wrong.seconds * 1_000, call.left);
  if (wrong.kind === 'delay') return false;
  if (wrong.kind === 'cut') cut(call);
  if (wrong.kind === 'stall') await stall(call);
  if (wrong.kind === 'error') {
    progress.broken = true;
    yield failed(call, answer, faultError(wrong).body());
  }
  return true;
}

/** An error chunk: the error alone, or inside a choice. */
function failed(call: Call, answer: ChatAnswer, error: object): object {
  if (!call.account.behavior.stream.includes('error_in_choice')) return { error };
  const { id, created, request } = answer;
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error', error }];
  return { id, object: 'chat.completion.chunk', created, model: request.model, choices };
}

function* beginning(call: Call, answer: ChatAnswer): Generator<object> {
  const { stream } = call.account.behavior;
  if (!stream.includes('no_role')) yield chunk(answer, { role: 'assistant', content: '' });
  if (stream.includes('null_content')) yield chunk(answer, { content: null });
  if (stream.includes('empty_deltas')) yield chunk(answer, {});
  if (stream.includes('reasoning'))
    for (const word of ['Let ', 'me ', 'think.']) yield chunk(answer, { reasoning_content: word });
  if (stream.includes('huge_event'))
    yield { ...chunk(answer, { content: '' }), padding: 'x'.repeat(hugeCharacters) };
}

function* ending(call: Call, answer: ChatAnswer): Generator<object | 'done'> {
  const { stream } = call.account.behavior;
  const tokens = { ...answer.prompt, output: estimateTokens(answer.text) };
  const usage = answer.request.usage && !stream.includes('no_usage') ? usageBody(tokens) : undefined;
  const together = stream.includes('usage_with_finish');
  if (!stream.includes('no_finish'))
    yield { ...chunk(answer, {}, answer.finish), ...(usage && together && { usage }) };
  if (usage && !together) yield { ...chunk(answer, {}), choices: [], usage };
  if (!stream.includes('no_done')) yield 'done';
}

function chunk({ id, created, request }: ChatAnswer, delta: object, finish: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id, object: 'chat.completion.chunk', created, model: request.model, choices };
}
