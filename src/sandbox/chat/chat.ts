import { type Fault, readDirectives } from '../faults/faults.ts';
import { type Call, requireCredits } from '../http/call.ts';
import { beforeWork, duringWork, findFault, json, send } from '../http/send.ts';
import { type ChatAnswer, meterChat, readChatRequest } from './chat-request.ts';
import { sendStream } from './stream.ts';
import { estimateTokens, usageBody } from './tokens.ts';
import { writeAnswer } from './writer/answer.ts';

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
