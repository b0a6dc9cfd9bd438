import { accepted, type Check, differs, fail, type Outcome, pass, worst } from './check.ts';
import { shapeOf } from './find.ts';
import type { Answer, CheckedService } from './service.ts';

const path = '/chat/completions';
const messages = [{ role: 'user', content: 'Answer with the single word: yes' }];

interface Choice {
  readonly message?: { readonly role?: unknown; readonly content?: unknown };
  readonly delta?: { readonly content?: unknown };
  readonly finish_reason?: unknown;
}
interface Completion {
  readonly choices?: readonly Choice[];
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown };
}

/** Chats with the shortest answers there are. */
export const chatChecks: readonly Check[] = [
  chats('svc-llm-1.5 answers as a chat completion', (service) => whole(service, 'svc-llm-1.5')),
  chats('svc-llm-1.5-pro answers as a chat completion', (service) => whole(service, 'svc-llm-1.5-pro')),
  chats('a chat completion tells its usage', async (service) => {
    const answer = await service.send('POST', path, { body: { model: 'svc-llm-1.5', messages } });
    return worst(accepted(answer), judgeUsage(answer.json as Completion | undefined));
  }),
  chats('with stream true the answer is streamed as chunks', streamed),
  chats('a stream ends with a finish_reason and [DONE] (not shown)', streamEnds),
  chats('a stream tells its usage when stream_options asks for it (not shown)', streamTellsUsage),
  chats('parameters of other services are ignored (not shown)', async (service) => {
    const body = { model: 'svc-llm-1.5', messages, temperature: 0.5, user: 'conformance' };
    const answer = await service.send('POST', path, { body });
    return answer.status < 300 ? pass : differs(`refused with HTTP ${answer.status}`);
  }),
  chats('a conversation id is taken', async (service) => {
    const headers = { 'x-svc-conversation-id': 'conformance-1' };
    return accepted(await service.send('POST', path, { body: { model: 'svc-llm-1.5', messages }, headers }));
  }),
];

function chats(says: string, run: Check['run']): Check {
  return { section: 4, says, kind: 'paid', run };
}

async function whole(service: CheckedService, model: string): Promise<Outcome> {
  const answer = await service.send('POST', path, { body: { model, messages } });
  const message = (answer.json as Completion | undefined)?.choices?.[0]?.message;
  const written = typeof message?.content === 'string' && message.content !== '';
  return worst(
    accepted(answer),
    written ? pass : fail(`no choices[0].message.content: ${shapeOf(answer.json)}`),
  );
}

function judgeUsage(body: Completion | undefined): Outcome {
  const { prompt_tokens: prompt, completion_tokens: completion } = body?.usage ?? {};
  if (typeof prompt === 'number' && typeof completion === 'number') return pass;
  return differs(body?.usage === undefined ? 'no usage' : `usage is ${shapeOf(body.usage)}`);
}

async function stream(
  service: CheckedService,
  more: object = {},
): Promise<{ answer: Answer; events: string[] }> {
  const body = { model: 'svc-llm-1.5', messages, stream: true, ...more };
  const answer = await service.send('POST', path, { body });
  const events = answer.text.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n'),
  );
  return { answer, events: events.filter((event) => event !== '') };
}

function completions(events: readonly string[]): Completion[] {
  return events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event) as Completion);
}

async function streamed(service: CheckedService): Promise<Outcome> {
  const { answer, events } = await stream(service);
  const type = answer.headers.get('content-type') ?? 'none';
  const text = completions(events).map(({ choices }) => choices?.[0]?.delta?.content ?? '');
  return worst(
    accepted(answer),
    text.join('') !== '' ? pass : fail('no choices[0].delta.content in any chunk'),
    type.includes('text/event-stream') ? pass : differs(`content type ${type}`),
  );
}

async function streamEnds(service: CheckedService): Promise<Outcome> {
  const { answer, events } = await stream(service);
  const finished = completions(events).some(({ choices }) => typeof choices?.[0]?.finish_reason === 'string');
  return worst(
    accepted(answer),
    finished ? pass : differs('no finish_reason'),
    events.at(-1) === '[DONE]' ? pass : differs('no [DONE]'),
  );
}

async function streamTellsUsage(service: CheckedService): Promise<Outcome> {
  const { answer, events } = await stream(service, { stream_options: { include_usage: true } });
  const told = completions(events).find(({ usage }) => usage);
  return worst(accepted(answer), judgeUsage(told));
}
