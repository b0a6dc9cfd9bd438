import { describe, expect, test } from 'vitest';
import { CancelledError, ClientClosedError, TimeoutError } from '../../../src/service/index.ts';
import { settle } from '../../fakes/clock.ts';
import { ask, collect, delta, done, failureOf, stage, stop, until } from '../support/helpers.ts';

describe('a stream that stalls', () => {
  test('ends at the idle limit, and its request is aborted', async () => {
    let closed: Promise<unknown> | undefined;
    const { client, clock } = await stage((_, reply) => {
      closed = reply.closed;
      reply.startEvents();
      reply.chunk(delta('a'));
    });
    const events = client.chat.stream(ask);
    await events.next();
    const failed = failureOf(events.next());
    await clock.advance(59_999);
    await clock.advance(1);
    const error = await failed;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ limit: 'idle', milliseconds: 60_000, outcome: 'unknown' });
    await closed;
  });

  test('lives on while anything comes, comments included, up to the total limit', async () => {
    let beat: () => void = () => undefined;
    const { client, clock } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('a'));
      beat = () => reply.chunk(': still there\n\n');
    });
    const events = client.chat.stream(ask);
    await events.next();
    let error: Error | undefined;
    const failed = failureOf(events.next()).then((failure) => {
      error = failure;
    });
    for (let minute = 0; minute < 12; minute++) {
      beat();
      await settle();
      await clock.advance(50_000);
    }
    await failed;
    expect(error).toMatchObject({ limit: 'total', milliseconds: 600_000 });
  });

  test('is not one while the reader is busy', async () => {
    let goOn: () => void = () => undefined;
    const { client, clock } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('a'));
      goOn = () => reply.chunk(delta('b') + stop + done);
    });
    const events = client.chat.stream(ask);
    await events.next();
    await clock.advance(300_000);
    goOn();
    expect((await collect(events)).text).toBe('b');
  });

  test('before its first byte ends at its own limit', async () => {
    const { client, clock, server } = await stage(() => undefined);
    const failed = failureOf(collect(client.chat.stream(ask)));
    await until(() => server.received.length === 1);
    await clock.advance(120_000);
    expect(await failed).toMatchObject({ limit: 'response', milliseconds: 120_000, outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });
});

describe('a reader who stops', () => {
  test('by leaving the loop aborts the request', async () => {
    let closed: Promise<unknown> | undefined;
    const { client, clock } = await stage((_, reply) => {
      closed = reply.closed;
      reply.startEvents();
      reply.chunk(delta('a'));
    });
    for await (const event of client.chat.stream(ask)) {
      expect(event).toEqual({ type: 'text', text: 'a' });
      break;
    }
    await closed;
    expect(clock.pending).toBe(0);
  });

  test('by the signal, while waiting for more, aborts the request', async () => {
    let closed: Promise<unknown> | undefined;
    const { client, clock } = await stage((_, reply) => {
      closed = reply.closed;
      reply.startEvents();
      reply.chunk(delta('a'));
    });
    const stopping = new AbortController();
    const events = client.chat.stream(ask, { signal: stopping.signal });
    await events.next();
    const failed = failureOf(events.next());
    stopping.abort();
    const error = await failed;
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false });
    await closed;
    expect(clock.pending).toBe(0);
  });

  test('by closing the client aborts it too', async () => {
    const { client } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('a'));
    });
    const events = client.chat.stream(ask);
    await events.next();
    const failed = failureOf(events.next());
    await client.close();
    expect(await failed).toBeInstanceOf(ClientClosedError);
    expect(await failureOf(client.chat.create(ask))).toBeInstanceOf(ClientClosedError);
  });

  test('before the first event has sent nothing', async () => {
    const { client, server } = await stage();
    const events = client.chat.stream(ask);
    await events.return();
    await settle();
    expect(server.received).toHaveLength(0);
  });
});
