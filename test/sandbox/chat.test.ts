import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { readEvents, textOf } from './support/events.ts';
import { chatBody, type Service, startService } from './support/service.ts';

const stream = { stream: true };

let service: Service;
beforeEach(async () => {
  service = await startService();
});
const startTimed = async (options: SandboxOptions = {}) => {
  const clock = new FakeClock();
  service = await startService({ clock, ...options });
  return clock;
};

async function streamed(question: string, more: object = {}) {
  const response = await service.raw('POST', '/chat/completions', chatBody(question, { ...stream, ...more }));
  expect(response.status).toBe(200);
  return { headers: response.headers, events: readEvents(await response.text()) };
}

/** A streamed answer whose reader can leave. */
async function stoppable(question: string) {
  const stop = new AbortController();
  const response = await fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-svc-test' },
    body: JSON.stringify(chatBody(question, stream)),
    signal: stop.signal,
  });
  return { response, stop };
}

describe('an answer', () => {
  it('is a chat completion', async () => {
    const { status, body, headers } = await service.chat('hello');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toMatchObject({
      object: 'chat.completion',
      model: 'svc-llm-1.5',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'stop' }],
    });
    expect(body.choices[0].message.content).toContain('sandbox');
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens);
  });

  it('is streamed as the role, deltas, the reason of its end, its usage and [DONE]', async () => {
    const { headers, events } = await streamed('hello');
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(events[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
    expect(events.at(-3).choices[0]).toEqual({ index: 0, delta: {}, finish_reason: 'stop' });
    for (const event of events.slice(0, -1))
      expect(event).toMatchObject({
        id: events[0].id,
        object: 'chat.completion.chunk',
        model: 'svc-llm-1.5',
      });
    for (const event of events.slice(0, -3)) expect(event.choices[0].finish_reason).toBeNull();
    expect(textOf(events)).toContain('sandbox');
  });

  it('is the same streamed as whole', async () => {
    const question = 'a long answer with every kind of Markdown, in 5,000 characters';
    const whole = await (await startService()).chat(question);
    const { events } = await streamed(question);
    expect(textOf(events)).toBe(whole.body.choices[0].message.content);
    expect(events.at(-2).usage).toEqual(whole.body.usage);
  });

  it('omits the usage if stream_options says so', async () => {
    const { events } = await streamed('hello', { stream_options: { include_usage: false } });
    expect(events.filter((event) => event.usage)).toEqual([]);
    expect(events.at(-1)).toBe('[DONE]');
  });

  it('comes at the pace of a fast reader, its first words at once', async () => {
    const clock = await startTimed({ pace: 'human' });
    const words = Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ');
    const response = await service.raw('POST', '/chat/completions', chatBody(`repeat: ${words}`, stream));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (part: string) => {
      while (!text.includes(part)) text += (await reader.read()).value ?? '';
    };
    await readUntil('word0');
    expect(text).not.toContain('word2"');
    const begun = clock.steady();
    let isRead = false;
    const rest = readUntil('word499').finally(() => (isRead = true));
    // Time passes only where an answer waits for it.
    while (!isRead) if (!(await clock.runNext())) await settle();
    await rest;
    const seconds = (clock.steady() - begun) / 1_000;
    expect(500 / seconds).toBeGreaterThanOrEqual(40);
    expect(500 / seconds).toBeLessThanOrEqual(60);
    await reader.cancel();
  });

  it('stops when its reader does, and is metered for what was written', async () => {
    const clock = await startTimed({ pace: 'human' });
    const { response, stop } = await stoppable(`repeat: ${'abc '.repeat(1_000)}`);
    await response.body!.getReader().read();
    stop.abort();
    let meter = await service.meter();
    while (meter.calls === 0) meter = await service.meter();
    expect(meter.items[0].tokens.output).toBeGreaterThan(0);
    expect(meter.items[0].tokens.output).toBeLessThan(50);
    expect(clock.pending).toBe(0);
  });
});

describe('the prompt cache', () => {
  const user = (content: string) => ({ role: 'user', content });
  const assistant = (content: string) => ({ role: 'assistant', content });
  const ask = async (messages: object[], more: object = {}) => {
    const { body } = await service.post('/chat/completions', { model: 'svc-llm-1.5', messages, ...more });
    const { prompt_tokens, prompt_tokens_details: details } = body.usage;
    return [prompt_tokens, details.cached_tokens, details.cache_creation_tokens];
  };

  it('is written as a conversation goes on, and read from then on', async () => {
    const [one, two, three] = [user('a'.repeat(40)), assistant('b'.repeat(80)), user('c'.repeat(120))];
    expect(await ask([one])).toEqual([14, 0, 0]);
    expect(await ask([one, two, three])).toEqual([72, 0, 38]);
    expect(await ask([one, two, three, assistant('d'), user('e')])).toEqual([82, 38, 39]);
    expect(await ask([one, two, three, assistant('d'), user('f')])).toEqual([82, 77, 0]);
  });

  it('knows the beginning of a conversation only, the model and the key', async () => {
    const messages = [user('a'), assistant('b'), user('c')];
    await ask(messages);
    expect((await ask(messages))[1]).toBe(10);
    expect((await ask([user('x'), ...messages.slice(1)]))[1]).toBe(0);
    expect((await ask(messages, { model: 'svc-llm-1.5-pro' }))[1]).toBe(0);
    const other = { authorization: 'Bearer sk-svc-other' };
    const { body } = await service.post('/chat/completions', { model: 'svc-llm-1.5', messages }, other);
    expect(body.usage.prompt_tokens_details.cached_tokens).toBe(0);
  });

  it('forgets after five minutes', async () => {
    const clock = new FakeClock();
    service = await startService({ clock });
    const messages = [user('a'), assistant('b'), user('c')];
    await ask(messages);
    await clock.advance(299_000);
    expect((await ask(messages))[1]).toBe(10);
    await clock.advance(300_000);
    expect((await ask(messages))[1]).toBe(0);
  });
});

describe('words that make a chat fail', () => {
  it.each([
    ['[[fail]]', 500, 'internal_error'],
    ['[[fail 400]]', 400, 'invalid_request'],
    ['[[fail 401]]', 401, 'invalid_api_key'],
    ['[[fail 403]]', 403, 'forbidden'],
    ['[[fail 404]]', 404, 'not_found'],
    ['[[fail 429]]', 429, 'rate_limit_exceeded'],
    ['[[fail 503]]', 503, 'internal_error'],
    ['[[out of credits]]', 402, 'insufficient_credits'],
    ['[[Rate Limit 17]]', 429, 'rate_limit_exceeded'],
  ])('%s answers with HTTP %i', async (words, status, code) => {
    for (const more of [{}, stream]) {
      const refused = await service.chat(`Alice: please ${words} now`, more);
      expect(refused.status).toBe(status);
      expect(refused.body.error.code).toBe(code);
      expect(refused.headers.get('retry-after')).toBe(
        words.includes('17') ? '17' : status === 429 ? '5' : null,
      );
    }
    expect((await service.meter()).credits).toBe(0);
  });

  it('[[fail 503 once]] answers the second time', async () => {
    const ask = async () => (await service.chat('hello [[fail 503 once]]')).status;
    expect([await ask(), await ask(), await ask()]).toEqual([503, 200, 200]);
  });

  it('[[error]] puts an error object into the stream, and costs nothing', async () => {
    const { events } = await streamed('hello [[error]]');
    expect(textOf(events)).toContain('This is the sandbox');
    expect(events.at(-1).error).toMatchObject({ type: 'server_error', message: expect.any(String) });
    expect((await service.meter()).credits).toBe(0);
    expect((await service.chat('hello [[error]]')).status).toBe(500);
  });

  it('[[end early]] ends without a reason and without [DONE]', async () => {
    const { events } = await streamed('hello [[end early]]');
    expect(textOf(events).length).toBeGreaterThan(20);
    expect(events.every((event) => event.choices[0].finish_reason === null)).toBe(true);
  });

  it('[[break off]] breaks the connection in mid-answer, streamed or not', async () => {
    for (const more of [{}, stream]) {
      const response = await service.raw('POST', '/chat/completions', chatBody('hello [[break off]]', more));
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    }
  });

  it('[[stall]] falls silent in mid-answer until its reader gives up', async () => {
    const { response, stop } = await stoppable('hello [[stall]]');
    const reader = response.body!.getReader();
    let events = 0;
    while (events < 31)
      events += new TextDecoder().decode((await reader.read()).value).split('data:').length - 1;
    expect(events).toBe(31);
    const next = reader.read().then(
      () => 'more',
      () => 'given up',
    );
    expect((await service.get('/audio/voices')).status).toBe(200);
    stop.abort();
    expect(await next).toBe('given up');
  });

  it('[[slow 20]] keeps silent for 20 seconds, then answers', async () => {
    const clock = new FakeClock();
    service = await startService({ clock });
    const response = await service.raw('POST', '/chat/completions', chatBody('hello [[slow 20]]', stream));
    const text = response.text();
    while (clock.pending === 0) await service.get('/audio/voices');
    await clock.advance(19_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(textOf(readEvents(await text))).toContain('This is the sandbox');
  });

  it('[[lost]] does and meters the work, and loses the answer', async () => {
    for (const more of [{}, stream]) await expect(service.chat('hello [[lost]]', more)).rejects.toThrow();
    const meter = await service.meter();
    expect(meter.calls).toBe(2);
    expect(meter.credits).toBeGreaterThan(0);
  });

  it.each([
    ['[[length]]', 'length'],
    ['[[filter]]', 'content_filter'],
  ])('%s ends with the reason %s', async (words, reason) => {
    const { body } = await service.chat(`hello ${words}`);
    expect(body.choices[0].finish_reason).toBe(reason);
    const { events } = await streamed(`hello ${words}`);
    expect(events.at(-3).choices[0].finish_reason).toBe(reason);
  });

  it('count only in the last question, and only if spelled correctly', async () => {
    const messages = [
      { role: 'user', content: '[[fail 503]]' },
      { role: 'assistant', content: 'I will say [[fail 503]]' },
      { role: 'user', content: 'what about [[links]] and [[fail 999]] and [[stall 5]]?' },
    ];
    const { status, body } = await service.post('/chat/completions', { model: 'svc-llm-1.5', messages });
    expect(status).toBe(200);
    expect(body.choices[0].finish_reason).toBe('stop');
  });
});
