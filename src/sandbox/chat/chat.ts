import type { Fault } from '../faults/faults.ts';
import { readDirectives } from '../faults/prompt-directives.ts';
import { type Call, type Dependencies, requireCredits } from '../http/call.ts';
import { beforeWork, duringWork, findFault, json, send } from '../http/send.ts';
import { type ChatAnswer, type FinishReason, meterChat } from './chat-answer.ts';
import { type Message, readChatRequest } from './chat-request.ts';
import { sendStream } from './stream.ts';
import { estimateTokens } from './tokens.ts';
import { usageBody } from './usage.ts';
import { writeAnswer } from './writer/answer.ts';

/** POST /chat/completions. */
export async function chat(dependencies: Dependencies, call: Call): Promise<void> {
  const request = readChatRequest(call.body);
  const messages = withoutDirectives(request.messages);
  const faults = call.account.faults('chat', readDirectives(lastQuestion(request.messages)));
  await beforeWork(
    dependencies,
    call,
    faults.filter((one) => one.kind !== 'filter'),
  );
  requireCredits(call, 1);
  const finish = finishReason(faults);
  const answer: ChatAnswer = {
    id: `chatcmpl-${call.requestId.slice(4)}`,
    request,
    text: shortened(call.account.answers.shift() ?? writeAnswer(messages, ++call.account.chats), finish),
    finish,
    prompt: call.account.promptCache.count(request.model, request.messages),
    created: Math.floor(dependencies.clock.now() / 1_000),
  };
  const whole = !request.stream || call.account.behavior.stream.includes('plain_json');
  if (whole) await sendWhole(dependencies, call, answer, faults);
  else await sendStream(dependencies, call, answer, faults);
}

async function sendWhole(
  dependencies: Dependencies,
  call: Call,
  answer: ChatAnswer,
  faults: readonly Fault[],
): Promise<void> {
  await duringWork(dependencies, call, faults);
  const output = estimateTokens(answer.text);
  meterChat(dependencies, call, answer, output);
  const message = { role: 'assistant', content: answer.text };
  const body = {
    id: answer.id,
    object: 'chat.completion',
    created: answer.created,
    model: answer.request.model,
    choices: [{ index: 0, message, finish_reason: answer.finish }],
    usage: usageBody({ ...answer.prompt, output }),
  };
  await send(dependencies, call, json(body), faults);
}

function finishReason(faults: readonly Fault[]): FinishReason {
  if (findFault(faults, 'during', 'length')) return 'length';
  return faults.some((one) => one.kind === 'filter') ? 'content_filter' : 'stop';
}

function shortened(text: string, finish: FinishReason): string {
  return finish === 'stop' ? text : text.slice(0, Math.ceil(text.length * 0.6)).toWellFormed();
}

function lastQuestion(messages: readonly Message[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

function withoutDirectives(messages: readonly Message[]): Message[] {
  return messages.map(({ role, content }) => ({ role, content: readDirectives(content).text }));
}
