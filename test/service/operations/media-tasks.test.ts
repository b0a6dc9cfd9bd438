import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  BadResponseError,
  ServerError,
  type StreamedText,
  TimeoutError,
} from '../../../src/service/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { settle } from '../../fakes/clock.ts';
import { draw, failureOf, film, json, outcome, patient, png, stage, until } from '../support/helpers.ts';

const url = 'https://cdn.example.com/signed/a';

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

  test('returns an image that comes at once with a state nobody knows, and no id to ask with', async () => {
    const { client } = await stage(json({ status: 'served', data: [{ url }] }));
    expect((await client.images.create(draw)).result).toEqual({ kind: 'url', url });
  });

  test('says why nothing came at once, in a state nobody knows and with no id to ask with', async () => {
    const { client } = await stage(json({ status: 'spilled', error: { message: 'no cats' }, data: [] }));
    expect(await failureOf(client.images.create(draw))).toMatchObject({ serviceMessage: 'no cats' });
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

test('a large image is read while it’s sent, each time anew', async () => {
  const address = `data:image/png;base64,${png.toString('base64')}`;
  let reads = 0;
  const streamed: StreamedText = {
    bytes: address.length,
    async *read() {
      reads += 1;
      for (let from = 0; from < address.length; from += 50) yield Buffer.from(address.slice(from, from + 50));
    },
  };
  const { client, server, clock } = await stage((_, reply, index) =>
    index === 0 ? reply.send(429, '') : reply.json(200, { id: 'a', status: 'queued' }),
  );
  const request = { prompt: 'é', reference_images: [streamed, url, streamed] };
  expect(await outcome(clock, client.images.submit(request))).toMatchObject({ id: 'a' });
  const sent = { prompt: 'é', reference_images: [address, url, address], async: true };
  expect(server.received.map((received) => received.json())).toEqual([sent, sent]);
  expect(server.received[1]?.headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(sent))));
  expect(reads).toBe(4);
});

test('a large image that can’t be read to its end ends the request, and nothing was processed', async () => {
  const { client, server, clock } = await stage((_, reply) => reply.json(200, { id: 'a' }));
  const cause = new Error('EIO');
  const broken: StreamedText = {
    bytes: 100,
    async *read() {
      yield Buffer.from('data:image/png;base64,');
      throw cause;
    },
  };
  const submitted = client.images.submit({ ...draw, reference_images: [broken] });
  const error = { name: 'UnreadBodyError', outcome: 'not-processed', cause };
  expect(await outcome(clock, submitted)).toMatchObject(error);
  expect(server.received).toEqual([]);
});

test('where a connection is lost while a large image is sent, nothing was processed; the image can be read', async () => {
  const endless: StreamedText = {
    bytes: 1e9,
    async *read() {
      for (;;) yield Buffer.alloc(1e6, 'A');
    },
  };
  const server = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
  endsWithTest(async () => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { client } = await stage(undefined, {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    limits: { tries: 1 },
  });
  const error = await failureOf(client.images.submit({ ...draw, reference_images: [endless] }));
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not-processed' });
});

test('a connection that’s lost once a large image was sent says nothing of its outcome', async () => {
  const large: StreamedText = {
    bytes: 1e5,
    async *read() {
      yield Buffer.alloc(1e5, 'A');
    },
  };
  const { client } = await stage((_, reply) => reply.destroy());
  const error = await failureOf(client.images.submit({ ...draw, reference_images: [large] }));
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
});

test('a large image has time to be sent over a slow line, besides the time for its answer', async () => {
  const bytes = 12 * 2 ** 20;
  const large: StreamedText = {
    bytes,
    async *read() {
      for (let sent = 0; sent < bytes; sent += 2 ** 20) yield Buffer.alloc(2 ** 20, 'A');
    },
  };
  const { promise: reads, resolve: read } = Promise.withResolvers<void>();
  const server = createServer(async (socket) => {
    socket.on('error', () => {}).pause();
    await reads;
    let received = 0;
    socket.on('data', (piece) => {
      received += piece.length;
      if (received > bytes) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"a"}');
    });
    socket.resume();
  }).listen(0, '127.0.0.1');
  endsWithTest(async () => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { client, clock } = await stage(undefined, { baseUrl: `http://127.0.0.1:${port}/v1` });
  const request = { ...draw, reference_images: [large] };
  const submitted = client.images.submit(request);
  await once(server, 'connection');
  await clock.advance(150_000);
  read();
  expect(await submitted).toMatchObject({ id: 'a' });
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
    [{ status: 'success', video: { id: 'a' } }, 'a', 'waiting'],
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

  test('takes what says it is something else where that is all there will be', async () => {
    const cover = { role: 'cover', url };
    const { client } = await stage(json({ data: [cover] }));
    expect(await submit(client)).toMatchObject({
      id: undefined,
      status: { state: 'ready', results: [], others: [] },
    });
    const asked = await stage(json({ id: 'a', status: 'done', data: [cover] }));
    expect(await submit(asked.client)).toMatchObject({ id: 'a', status: { state: 'waiting', results: [] } });
  });

  const noTasks = [{}, [], { message: 'accepted' }, { code: 0, message: 'ok' }, { code: 200, msg: 'ok' }];
  test.each([...noTasks, { status: 'queued' }])('does not take %j', async (value) => {
    const { client } = await stage(json(value));
    const error = await failureOf(submit(client));
    expect(error).toBeInstanceOf(BadResponseError);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  test.each([
    [
      { code: 40_001, message: 'no', data: null },
      { name: 'ServerError', outcome: 'unknown' },
    ],
    [
      { code: 400, msg: 'no', request_id: 'x' },
      { name: 'RejectedRequestError', outcome: 'rejected' },
    ],
    [
      { code: 'ContentPolicyViolation', message: 'no' },
      { name: 'ContentRefusedError', outcome: 'rejected' },
    ],
    [
      { Code: 'InsufficientBalance', Message: 'no' },
      { name: 'CreditError', outcome: 'rejected' },
    ],
  ])('takes %j for an error', async (value, expected) => {
    const { client } = await stage(json(value));
    expect(await failureOf(submit(client))).toMatchObject({ ...expected, serviceMessage: 'no' });
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
      { timeouts: patient },
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
