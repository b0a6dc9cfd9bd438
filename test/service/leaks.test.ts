import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import { collect, delta, key, outcome, patient, stage } from './support/helpers.ts';
import type { Received, Reply } from './support/raw-server.ts';

const secret = 'Zx81 SECRET content 秘密';
const conversationId = 'conv_1';

const calls: ((client: ServiceClient, content: string) => Promise<unknown>)[] = [
  (client, content) =>
    client.chat.create({ model: 'svc-llm-1.5', messages: [{ role: 'user', content }] }, { conversationId }),
  (client, content) =>
    collect(
      client.chat.stream({ model: 'svc-llm-1.5', messages: [{ role: 'user', content }] }, { conversationId }),
    ),
  (client, input) => client.speech.create({ input, voice: 'en_male_tim_uranus_bigtts' }),
  (client, prompt) => client.images.create({ prompt }),
  (client, prompt) => client.images.submit({ prompt }),
  (client, prompt) => client.videos.submit({ prompt }),
  (client) => client.voices.list(),
  (client) => client.videos.status('task-1'),
  (client) => client.images.wait('task-1'),
  (client) => client.download({ kind: 'url', url: '/files/1' }),
];

/** Services that say back whatever they were told, key included, wherever they can. */
const echo = (request: Received) =>
  `${request.headers.authorization} ${key} ${secret} ${request.body.toString()}`;
const services: Record<string, (request: Received, reply: Reply) => void> = {
  'an error of every field': (request, reply) =>
    reply.json(
      400,
      {
        error: { message: echo(request), code: echo(request), type: key, param: secret, request_id: key },
        [secret]: secret,
        message: key,
      },
      { 'x-request-id': key },
    ),
  'a refusal in plain text': (request, reply) => reply.send(422, echo(request)),
  'a rate limit': (request, reply) => reply.json(429, { detail: echo(request) }, { 'retry-after-ms': '10' }),
  'a server error': (request, reply) => reply.send(500, `<html>${echo(request)}`),
  'an error in a good answer': (request, reply) =>
    reply.json(200, { error: { message: echo(request), code: key } }),
  'an answer of no known shape': (request, reply) =>
    reply.json(200, { [secret]: echo(request), [key]: key, list: [secret] }),
  'a task in an unknown state': (request, reply) =>
    reply.json(200, { id: 'a', status: echo(request), state: key, prompt: secret, error: echo(request) }),
  'a task that failed': (request, reply) =>
    reply.json(200, { id: 'a', status: 'failed', error: { message: echo(request), code: key } }),
  'a broken stream': (request, reply) => {
    reply.startEvents({ 'x-request-id': key });
    reply.chunk(`${delta('a')}data: {"${echo(request).replaceAll('"', '')}\n\n`);
    reply.end();
  },
  'a stream of other things': (request, reply) => {
    reply.startEvents();
    reply.chunk(`data: ${secret}\n\ndata: ${JSON.stringify({ [secret]: echo(request) })}\n\n`);
    reply.end();
  },
  'an error in mid-stream': (request, reply) => {
    reply.startEvents();
    reply.chunk(
      `${delta('a')}event: error\ndata: ${JSON.stringify({ message: echo(request), code: key })}\n\n`,
    );
    reply.end();
  },
  'something that is not HTTP': (request, reply) => reply.raw(`${echo(request)}\r\n\r\n`),
  'a header that is not one': (request, reply) =>
    reply.raw(`HTTP/1.1 200 OK\r\n${encodeURIComponent(secret)} ${key}: x\r\n\r\n${echo(request)}`),
  'half an answer': (request, reply) => {
    reply.raw(`HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n${echo(request)}`);
    setImmediate(() => reply.destroy());
  },
  'another encoding': (request, reply) => reply.send(200, echo(request), { 'content-encoding': 'gzip' }),
  'an unknown encoding': (request, reply) => reply.send(200, echo(request), { 'content-encoding': key }),
  'a redirect': (_, reply) =>
    reply.send(302, '', { location: `http://${encodeURIComponent(secret)}.example.com/${key}` }),
  'a lost connection': (_, reply) => reply.destroy(),
};

/** Everything of an error that may get into a log by any usual way. */
function written(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return [
    error.message,
    error.stack,
    String(error),
    JSON.stringify(error),
    inspect(error, { depth: 20, showHidden: true }),
    inspect({ error }, { depth: 20 }),
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    String(error.cause),
  ].join('\n');
}

function expectClean(text: string): void {
  expect(text).not.toContain('sk-svc-test');
  expect(text).not.toContain('KEY_0123');
  for (const word of ['Zx81', 'SECRET', '秘密', encodeURIComponent('秘密')]) expect(text).not.toContain(word);
}

describe.each(Object.entries(services))('nothing leaks from %s', (_, answer) => {
  test.each(calls.map((call, index) => [index, call] as const))('in call %d', async (_index, call) => {
    const { client, clock, logged } = await stage((request, reply) => answer(request, reply), {
      timeouts: { ...patient, task: 30_000 },
    });
    const result = await outcome(clock, call(client, secret));
    if (result instanceof Error) expect(result).toBeInstanceOf(ServiceError);
    expectClean(written(result));
    expectClean(JSON.stringify(logged));
    expectClean(inspect(logged, { depth: 20 }));
  });
});

test('the words of the service are for the requester, without the key', async () => {
  const { client } = await stage((_, reply) =>
    reply.json(400, { error: { message: `"${secret}" by ${key}` } }),
  );
  const error = await client.videos.submit({ prompt: secret }).catch((thrown: unknown) => thrown);
  expect((error as ServiceError).serviceMessage).toBe(`"${secret}" by sk-svc-…`);
});

test('a broken rule does not show what it is about', async () => {
  const { client } = await stage();
  const long = `${secret} `.repeat(2_000);
  const errors = await Promise.all(
    [
      client.chat.create({ model: key, messages: [{ role: secret, content: 7, [key]: secret }] } as never),
      client.images.create({
        prompt: long,
        reference_images: [`http://example.com/${secret}`, `data:${secret}`],
      }),
      client.videos.submit({
        prompt: long,
        reference_video_urls: [`https://127.0.0.1/${secret}`],
        ratio: key as never,
      }),
      client.speech.create({ input: long, voice: key }),
      client.chat.create({ model: 'svc-llm-1.5', messages: [] }, { conversationId: secret }),
      client.videos.status(key.repeat(20)),
    ].map((call) => call.catch((error: unknown) => error)),
  );
  for (const error of errors) {
    expect(error).toBeInstanceOf(ServiceError);
    expectClean(written(error));
  }
});

test('the client itself does not show its key', async () => {
  const { client } = await stage();
  for (const part of [client, client.chat, client.voices, client.images]) {
    expectClean(inspect(part, { depth: 20, showHidden: true }));
    expectClean(JSON.stringify(part));
  }
});

test('the key is sent in one header, and nowhere else', async () => {
  const { client, server } = await stage((_, reply) => reply.json(200, { id: 'a', status: 'queued' }));
  await client.videos.submit({ prompt: 'a cat' }, { conversationId });
  await client.videos.status('a');
  for (const { path, headers, body } of server.received) {
    const { authorization, ...others } = headers;
    expect(authorization).toBe(`Bearer ${key}`);
    expect(JSON.stringify([path, others, body.toString()])).not.toContain('sk-svc');
  }
});
