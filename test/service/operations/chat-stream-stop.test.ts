import { describe, expect, test } from 'vitest';
import { CancelledError, ClientClosedError, TimeoutError } from '../../../src/service/index.ts';
import { settle } from '../../fakes/clock.ts';
import { ask, begun, collect, delta, done, failureOf, stage, stop, until } from '../support/helpers.ts';

describe('a stream that stalls', () => {
  test('ends at the idle limit, and its request is aborted', async () => {
    const { clock, events, closed } = await begun();
    const failed = failureOf(events.next());
    await clock.advance(59_999);
    await clock.advance(1);
    const error = await failed;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ limit: 'idle', milliseconds: 60_000, outcome: 'unknown' });
    await closed;
  });

  test('before its first words is given as long as one that hasn’t begun: the model may be thinking', async () => {
    const { client, server, clock } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta(''));
    });
    const failed = failureOf(collect(client.chat.stream(ask)));
    await until(() => server.received.length === 1);
    await settle();
    await clock.advance(119_999);
    await clock.advance(1);
    expect(await failed).toMatchObject({ limit: 'idle', milliseconds: 120_000, outcome: 'unknown' });
  });

  test('lives on while anything comes, comments included, up to the total limit', async () => {
    const { clock, events, reply } = await begun();
    const failed = failureOf(events.next());
    for (let minute = 0; minute < 12; minute++) {
      reply.chunk(': still there\n\n');
      await settle();
      await clock.advance(50_000);
    }
    expect(await failed).toMatchObject({ limit: 'total', milliseconds: 600_000 });
  });

  test('is not one while the reader is busy', async () => {
    const { clock, events, reply } = await begun();
    await clock.advance(300_000);
    reply.chunk(delta('b') + stop + done);
    expect((await collect(events)).text).toBe('b');
  });

  test('before its first byte ends at its own limit', async () => {
    const { client, clock, server } = await stage();
    const failed = failureOf(collect(client.chat.stream(ask)));
    await until(() => server.received.length === 1);
    await clock.advance(120_000);
    expect(await failed).toMatchObject({ limit: 'response', milliseconds: 120_000, outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });
});

describe('a reader who stops', () => {
  test('by leaving the loop aborts the request', async () => {
    const { clock, events, reply, closed } = await begun();
    reply.chunk(delta('b'));
    for await (const event of events) {
      expect(event).toEqual({ type: 'text', text: 'b' });
      break;
    }
    await closed;
    expect(clock.pending).toBe(0);
  });

  test('by the signal, while waiting for more, aborts the request', async () => {
    const { clock, events, leaving, closed } = await begun();
    const failed = failureOf(events.next());
    leaving.abort();
    const error = await failed;
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false });
    await closed;
    expect(clock.pending).toBe(0);
  });

  test('by closing the client aborts it too', async () => {
    const { client, events } = await begun();
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
