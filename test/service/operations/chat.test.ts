import { describe, expect, test } from 'vitest';
import { TooLargeError } from '../../../src/service/index.ts';
import { ask, failureOf, film, json, key, stage } from '../support/helpers.ts';

describe('every request', () => {
  test('carries the key, the conversation and nothing it was not asked for', async () => {
    const { client, server } = await stage(json({ id: 'task-1', status: 'queued' }));
    await client.videos.submit(
      { ...film, duration: 4, generate_audio: false, seed: 0 },
      { conversationId: 'conv_1' },
    );
    await client.images.status('a b/c'.replace(' ', '+'));
    const [post, get] = server.received;
    expect(post).toMatchObject({ method: 'POST', path: '/v1/videos' });
    expect(post?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'x-svc-conversation-id': 'conv_1',
      'content-type': 'application/json',
    });
    expect(post?.json()).toEqual({ prompt: 'a cat', duration: 4, generate_audio: false, seed: 0 });
    expect(get).toMatchObject({ method: 'GET', path: '/v1/images/generations/a%2Bb%2Fc' });
    expect(get?.headers['x-svc-conversation-id']).toBeUndefined();
    expect(get?.body).toHaveLength(0);
  });

  test('goes below the path of the base URL, with or without a slash at its end', async () => {
    for (const path of ['/proxy/v1', '/proxy/v1/']) {
      const { server } = await stage();
      const other = await stage(undefined, { baseUrl: server.origin + path });
      server.script(json([]));
      await other.client.voices.list();
      expect(server.received[0]?.path).toBe('/proxy/v1/audio/voices');
    }
  });

  test('holds whole characters only', async () => {
    const { client, server } = await stage(json({ id: 'a' }));
    await client.images.submit({ prompt: 'half \ud83d' });
    expect(server.received[0]?.json().prompt).toBe('half \ufffd');
  });
});

describe('chat.create', () => {
  const answer = { choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] };

  test('returns the answer whole', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const { client, server } = await stage((_, reply) =>
      reply.json(200, { ...answer, usage }, { 'x-request-id': 'r' }),
    );
    expect(await client.chat.create(ask)).toEqual({
      text: 'hi',
      finishReason: 'stop',
      usage: { inputTokens: 3, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0 },
      requestId: 'r',
    });
    expect(server.received[0]?.json()).toEqual({ ...ask, stream: false });
  });

  test.each([
    ['no finish reason', { choices: [{ message: { content: 'hi' } }] }],
    [
      'content in parts',
      { choices: [{ message: { content: [{ type: 'text', text: 'h' }, { text: 'i' }] } }] },
    ],
    ['text in the old style', { choices: [{ text: 'hi' }] }],
    ['the words of a refusal', { choices: [{ message: { content: null, refusal: 'hi' } }] }],
    ['an envelope', { code: 0, data: answer }],
    [
      'more choices',
      {
        choices: [
          { index: 1, message: { content: 'no' } },
          { index: 0, message: { content: 'hi' } },
        ],
      },
    ],
  ])('takes an answer with %s', async (_, value) => {
    const { client } = await stage(json(value));
    expect((await client.chat.create(ask)).text).toBe('hi');
  });

  test('takes a stream that nobody asked for', async () => {
    const { client } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(
        'data: {"choices":[{"delta":{"content":"h"}}]}\n\ndata: {"choices":[{"delta":{"content":"i"}}]}\n\n',
      );
      reply.chunk('data: [DONE]\n\n');
      reply.end();
    });
    expect((await client.chat.create(ask)).text).toBe('hi');
  });

  test('returns an empty text where content is null', async () => {
    const { client } = await stage(
      json({ choices: [{ message: { content: null }, finish_reason: 'content_filter' }] }),
    );
    expect(await client.chat.create(ask)).toMatchObject({ text: '', finishReason: 'content_filter' });
  });

  test.each(['{}', '[]', '{"id":1}', 'null', '{"choices":', '<html>'])('does not take %s', async (body) => {
    const { client } = await stage((_, reply) => reply.send(200, body));
    const error = await failureOf(client.chat.create(ask));
    expect(['BadResponseError', 'TruncatedStreamError']).toContain(error.name);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  test('takes a code and words for an error', async () => {
    const { client } = await stage(json({ code: 400, message: 'no', data: null }));
    expect(await failureOf(client.chat.create(ask))).toMatchObject({
      name: 'RejectedRequestError',
      serviceMessage: 'no',
    });
  });

  test('holds no answer that is too large', async () => {
    const { client } = await stage(json({ choices: [{ message: { content: 'x'.repeat(10_000) } }] }), {
      limits: { answerBytes: 1_000 },
    });
    expect(await failureOf(client.chat.create(ask))).toBeInstanceOf(TooLargeError);
  });
});
