import { describe, expect, test } from 'vitest';
import {
  BadResponseError,
  InvalidRequestError,
  RejectedRequestError,
  ServerError,
  TimeoutError,
  TooLargeError,
} from '../../src/service/index.ts';
import { knownVoices } from '../../src/spec/voices.ts';
import { settle } from '../fakes/clock.ts';
import { ask, draw, failureOf, film, key, outcome, patient, say, stage, until } from './helpers.ts';
import type { Script } from './raw-server.ts';

const png = Buffer.from(`\x89PNG\r\n\x1a\n${'0'.repeat(100)}`, 'latin1');
const wav = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1');
const url = 'https://cdn.example.com/a.mp4';

const json =
  (...values: unknown[]): Script =>
  (_, reply, index) =>
    reply.json(200, values[Math.min(index, values.length - 1)]);

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

  test('holds no answer that is too large', async () => {
    const { client } = await stage(json({ choices: [{ message: { content: 'x'.repeat(10_000) } }] }), {
      limits: { answerBytes: 1_000 },
    });
    expect(await failureOf(client.chat.create(ask))).toBeInstanceOf(TooLargeError);
  });
});

describe('speech.create', () => {
  test('returns the bytes, and what they are', async () => {
    const { client, server } = await stage((_, reply) =>
      reply.send(200, wav, { 'content-type': 'audio/mpeg' }),
    );
    const speech = await client.speech.create({ ...say, language: 'en', format: 'opus', speed: 1.5 });
    expect(speech).toMatchObject({ format: 'wav', contentType: 'audio/wav' });
    expect(Buffer.compare(Buffer.from(speech.bytes), wav)).toBe(0);
    expect(server.received[0]?.json()).toEqual({
      model: 'svc-tts-1',
      ...say,
      language: 'en',
      response_format: 'opus',
      speed: 1.5,
    });
  });

  test.each(['application/octet-stream', 'text/html', ''])(
    'believes the bytes, not the type %j',
    async (type) => {
      const { client } = await stage((_, reply) =>
        reply.send(200, wav, type ? { 'content-type': type } : {}),
      );
      expect(await client.speech.create(say)).toMatchObject({ format: 'wav' });
    },
  );

  test('believes the type where the bytes tell nothing', async () => {
    const { client } = await stage((_, reply) =>
      reply.send(200, 'raw', { 'content-type': 'audio/L16; rate=24000' }),
    );
    expect(await client.speech.create({ ...say, format: 'wav' })).toMatchObject({
      format: 'wav',
      contentType: 'audio/l16',
    });
  });

  test.each([
    ['nothing', '', 'audio/mpeg'],
    ['a page', '<html>', 'text/html'],
    ['a picture', png, 'audio/mpeg'],
    ['some JSON', '{"ok":true}', 'application/json'],
  ])('does not take %s for speech', async (_, body, type) => {
    const { client } = await stage((_request, reply) => reply.send(200, body, { 'content-type': type }));
    const error = await failureOf(client.speech.create(say));
    expect(error).toBeInstanceOf(BadResponseError);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  test('reads an error in a good answer', async () => {
    const { client } = await stage(json({ error: { message: 'no', status: 400 } }));
    expect(await failureOf(client.speech.create(say))).toBeInstanceOf(RejectedRequestError);
  });

  test('holds no speech that is too large', async () => {
    const { client } = await stage(
      (_, reply) => reply.send(200, Buffer.concat([wav, Buffer.alloc(10_000)])),
      {
        limits: { speechBytes: 1_000 },
      },
    );
    expect(await failureOf(client.speech.create(say))).toMatchObject({
      name: 'TooLargeError',
      limitBytes: 1_000,
    });
  });

  test('says a known voice without asking for the list', async () => {
    const { client, server } = await stage((_, reply) => reply.send(200, wav));
    await client.speech.create(say);
    expect(server.received.map((request) => request.path)).toEqual(['/v1/audio/speech']);
  });

  test('looks up a voice the description does not have, once in ten minutes', async () => {
    const { client, server, clock } = await stage((request, reply) =>
      request.method === 'GET' ? reply.json(200, ['new_voice']) : reply.send(200, wav),
    );
    await client.speech.create({ ...say, voice: 'new_voice' });
    await client.speech.create({ ...say, voice: 'new_voice' });
    const error = await failureOf(client.speech.create({ ...say, voice: 'mistyped' }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ faults: [{ field: 'voice', code: 'choice', given: 'mistyped' }] });
    const allowed = (error as InvalidRequestError).faults[0]?.allowed;
    expect(allowed).toEqual([...knownVoices.map((voice) => voice.id), 'new_voice']);
    expect(server.received.map((request) => request.method)).toEqual(['GET', 'POST', 'POST']);
    await clock.advance(600_000);
    await client.speech.create({ ...say, voice: 'new_voice' });
    expect(server.received.map((request) => request.method)).toEqual(['GET', 'POST', 'POST', 'GET', 'POST']);
  });

  test('leaves it to the service where there is no list', async () => {
    const { client, server, clock } = await stage(
      (request, reply) => (request.method === 'GET' ? reply.send(500, '') : reply.send(200, wav)),
      { timeouts: patient },
    );
    expect(await outcome(clock, client.speech.create({ ...say, voice: 'new_voice' }))).toMatchObject({
      format: 'wav',
    });
    expect(server.received.map((request) => request.method)).toEqual(['GET', 'GET', 'GET', 'GET', 'POST']);
  });
});

describe('voices.list', () => {
  test('returns the voices', async () => {
    const { client } = await stage(
      json({ voices: [{ voice_id: 'en_male_tim_uranus_bigtts', name: 'Tim' }] }),
    );
    expect(await client.voices.list()).toEqual([
      { id: 'en_male_tim_uranus_bigtts', name: 'Tim', languages: ['en'] },
    ]);
  });

  test('reports a shape it does not know, and fails', async () => {
    const { client, logged } = await stage(json({ hello: 'world' }), { limits: { tries: 1 } });
    expect(await failureOf(client.voices.list())).toBeInstanceOf(BadResponseError);
    expect(logged).toContainEqual({
      level: 'warn',
      event: 'unknown-shape',
      fields: { operation: 'voices', what: 'list of voices', shape: '{hello:string}' },
    });
  });
});

describe('images.create', () => {
  test('returns the image, as its address or its bytes', async () => {
    const { client, server } = await stage(
      json(
        { created: 1, data: [{ url: 'https://example.com/a.png' }] },
        { data: [{ b64_json: png.toString('base64') }] },
      ),
    );
    const request = { ...draw, size: '1024x768', response_format: 'url', reference_images: [url] } as const;
    expect((await client.images.create(request)).result).toEqual({
      kind: 'url',
      url: 'https://example.com/a.png',
    });
    expect(server.received[0]?.json()).toEqual({ ...request, async: false });
    expect((await client.images.create(draw)).result).toEqual({
      kind: 'bytes',
      bytes: png,
      contentType: 'image/png',
    });
  });

  test('waits where the service makes a task of it', async () => {
    const { client, server, clock } = await stage(
      json(
        { id: 'a', status: 'queued' },
        { id: 'a', status: 'running' },
        { id: 'a', status: 'done', image_url: url },
      ),
      { timeouts: patient },
    );
    expect(await outcome(clock, client.images.create(draw))).toMatchObject({ result: { kind: 'url', url } });
    expect(server.received.map((request) => request.method)).toEqual(['POST', 'GET', 'GET']);
  });

  test('fails as the task does', async () => {
    const failed = { id: 'a', status: 'failed', error: { message: 'no cats', code: 'content_policy' } };
    const { client } = await stage(json(failed));
    const error = await failureOf(client.images.create(draw));
    expect(error).toMatchObject({
      name: 'ContentRefusedError',
      serviceMessage: 'no cats',
      code: 'content_policy',
    });
  });
});

describe.each(['images', 'videos'] as const)('%s.submit', (kind) => {
  const submit = (client: Awaited<ReturnType<typeof stage>>['client']) =>
    kind === 'images' ? client.images.submit(draw) : client.videos.submit(film);

  test('returns the task', async () => {
    const { client, server } = await stage((_, reply) =>
      reply.json(200, { id: 'task-1', status: 'queued' }, { 'x-request-id': 'r' }),
    );
    expect(await submit(client)).toEqual({
      id: 'task-1',
      status: { state: 'waiting', results: [] },
      requestId: 'r',
    });
    if (kind === 'images') expect(server.received[0]?.json()).toEqual({ ...draw, async: true });
  });

  test.each([
    [{ id: 'a' }, 'a', 'running'],
    [{ id: 'a', status: 'success' }, 'a', 'waiting'],
    [{ code: 0, message: 'success', data: { task_id: 'a' } }, 'a', 'running'],
    [{ id: 'a', status: 'failed', error: 'no' }, 'a', 'failed'],
  ])('takes %j', async (value, id, state) => {
    const { client } = await stage(json(value));
    expect(await submit(client)).toMatchObject({ id, status: { state, results: [] } });
  });

  test('takes a result that is ready at once, even without a task', async () => {
    const { client } = await stage(json({ data: [{ url }] }));
    expect(await submit(client)).toMatchObject({
      id: undefined,
      status: { state: 'ready', results: [{ url }] },
    });
  });

  test.each([{}, [], { message: 'accepted' }, { status: 'queued' }])('does not take %j', async (value) => {
    const { client } = await stage(json(value));
    const error = await failureOf(submit(client));
    expect(error).toBeInstanceOf(BadResponseError);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  test('takes an error for one', async () => {
    const { client } = await stage(json({ error: { message: 'no' } }));
    expect(await failureOf(submit(client))).toBeInstanceOf(ServerError);
    const other = await stage(json({ status: 'error', message: 'no' }));
    expect(await failureOf(submit(other.client))).toMatchObject({
      name: 'ServerError',
      serviceMessage: 'no',
    });
  });
});

describe('videos.wait', () => {
  test('asks 2 s to 15 s apart until the video is there', async () => {
    const times: number[] = [];
    const { client, clock } = await stage((_, reply, index) => {
      times.push(clock.now());
      reply.json(
        200,
        index < 12
          ? { id: 'a', status: 'running', progress: index }
          : { id: 'a', status: 'done', video: { url } },
      );
    });
    const progress: (number | undefined)[] = [];
    const waiting = client.videos.wait('a', { onProgress: (status) => progress.push(status.progress) });
    for (let asked = 1; asked < 13; asked++) {
      await until(() => progress.length === asked);
      await clock.runNext();
      while (times.length === asked) await clock.advance(1);
    }
    expect(await waiting).toMatchObject({ state: 'ready', results: [{ url }] });
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[0]).toBe(2_000);
    expect(gaps.at(-1)).toBe(15_000);
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
    expect(clock.pending).toBe(0);
  });

  test('returns a failed task, and survives failures of the service in between', async () => {
    const { client, clock } = await stage(
      (_, reply, index) =>
        index < 9 ? reply.send(502, '') : reply.json(200, { id: 'a', status: 'failed', error: 'no' }),
      { timeouts: patient },
    );
    expect(await outcome(clock, client.videos.wait('a'))).toMatchObject({ state: 'failed', error: 'no' });
  });

  test('does not survive a refusal', async () => {
    const { client } = await stage((_, reply) => reply.send(404, ''));
    expect(await failureOf(client.videos.wait('a'))).toMatchObject({ name: 'NotFoundError' });
  });

  test('gives a result that lags behind its state a few more tries', async () => {
    const { client, clock, server } = await stage(json({ id: 'a', status: 'done' }), { timeouts: patient });
    expect(await outcome(clock, client.videos.wait('a'))).toEqual({ state: 'ready', results: [] });
    expect(server.received).toHaveLength(5);
  });

  test('never waits for ever', async () => {
    const { client, clock } = await stage(json({ id: 'a', status: 'running' }), {
      timeouts: { ...patient, task: 60_000 },
    });
    const error = await outcome(clock, client.videos.wait('a'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ limit: 'task', milliseconds: 60_000, operation: 'video-status' });
  });

  test('ends with the caller', async () => {
    const { client, clock, server } = await stage(json({ id: 'a', status: 'running' }));
    const stopping = new AbortController();
    const failed = failureOf(client.videos.wait('a', { signal: stopping.signal }));
    await until(() => server.received.length === 1);
    await settle();
    stopping.abort();
    expect(await failed).toMatchObject({ name: 'CancelledError' });
    expect(clock.pending).toBe(0);
  });

  test('does not mind what its listener throws', async () => {
    const { client, clock, logged } = await stage(
      json({ id: 'a', status: 'running' }, { id: 'a', status: 'failed' }),
      {
        timeouts: patient,
      },
    );
    const onProgress = () => {
      throw new TypeError('secret');
    };
    expect(await outcome(clock, client.videos.wait('a', { onProgress }))).toMatchObject({ state: 'failed' });
    expect(logged).toContainEqual({
      level: 'warn',
      event: 'callback-failed',
      fields: { error: 'TypeError' },
    });
  });
});
