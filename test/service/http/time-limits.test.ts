import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { settle } from '../../fakes/clock.ts';
import { calls, good } from '../support/every-call.ts';
import { ask, collect, draw, failureOf, film, say, stage, until } from '../support/helpers.ts';

describe('a limit of time', () => {
  test.each([
    ['chat.create', 300_000],
    ['speech.create', 180_000],
    ['images.create', 300_000],
    ['images.submit', 60_000],
    ['videos.submit', 60_000],
  ])('of %s is %d ms, and its outcome is unknown', async (call, milliseconds) => {
    const { client, clock, server } = await stage();
    const failed = failureOf(calls[call]!.run(client));
    await until(() => server.received.length === 1);
    await clock.advance(milliseconds);
    expect(await failed).toMatchObject({
      name: 'TimeoutError',
      limit: 'total',
      milliseconds,
      outcome: 'unknown',
    });
    expect(server.received).toHaveLength(1);
  });

  test('holds for an answer that drips, too', async () => {
    const { client, clock, server } = await stage((_, reply) =>
      reply.raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
    );
    const failed = failureOf(client.videos.submit(film));
    await until(() => server.received.length === 1);
    await clock.advance(60_000);
    expect(await failed).toMatchObject({ limit: 'total', outcome: 'unknown' });
  });

  test('of a status is 30 s a try', async () => {
    const { client, clock, server } = await stage((request, reply, index) =>
      index === 1 ? good(request, reply) : undefined,
    );
    const status = client.videos.status('a');
    await until(() => server.received.length === 1);
    await clock.advance(31_000);
    await until(() => server.received.length === 2);
    expect(await status).toMatchObject({ state: 'ready' });
  });
});

test('a caller who stops a request under way does not know whether it was processed', async () => {
  let closed: Promise<unknown> | undefined;
  const { client, server } = await stage((_, reply) => {
    closed = reply.closed;
  });
  const stopping = new AbortController();
  const failed = failureOf(client.videos.submit(film, { signal: stopping.signal }));
  await until(() => server.received.length === 1);
  stopping.abort();
  expect(await failed).toMatchObject({ name: 'CancelledError', outcome: 'unknown', retryable: false });
  await closed;
});

test('a signal that outlives its calls is let go by each of them', async () => {
  const { client } = await stage(good);
  const { signal } = new AbortController();
  const options = { signal };
  await client.chat.create(ask, options);
  await collect(client.chat.stream(ask, options));
  await client.speech.create(say, options);
  await client.images.create(draw, options);
  await client.images.submit(draw, options);
  await client.videos.submit(film, options);
  await client.voices.list(options);
  await client.videos.wait('a', options);
  for await (const _ of (await client.download({ kind: 'url', url: '/a' }, options)).stream);
  await settle();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a caller who stopped before has sent nothing', async () => {
  const { client, server } = await stage(good);
  const error = await failureOf(client.videos.submit(film, { signal: AbortSignal.abort() }));
  expect(error).toMatchObject({ name: 'CancelledError', outcome: 'not-processed' });
  expect(server.received).toHaveLength(0);
});
