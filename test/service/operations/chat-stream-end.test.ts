import { describe, expect, test } from 'vitest';
import {
  BadResponseError,
  ContentRefusedError,
  RateLimitError,
  ServerError,
  TooLargeError,
  TruncatedStreamError,
} from '../../../src/service/index.ts';
import { settle } from '../../fakes/clock.ts';
import {
  answering,
  ask,
  begun,
  collect,
  delta,
  done,
  failureOf,
  outcome,
  read,
  stage,
  stop,
} from '../support/helpers.ts';

async function failing(...chunks: (string | Uint8Array)[]) {
  const { client, server } = await stage(answering(...chunks));
  const error = await failureOf(collect(client.chat.stream(ask)));
  return { error, requests: server.received.length };
}

describe('the end of a stream', () => {
  test('may be a finish reason without [DONE]', async () => {
    expect(await read(delta('a'), stop)).toMatchObject({ text: 'a', end: { finishReason: 'stop' } });
  });

  test('may be [DONE] without a finish reason, even without a last line break', async () => {
    expect(await read(delta('a'), 'data: [DONE]')).toMatchObject({
      text: 'a',
      end: { finishReason: undefined },
    });
  });

  test('with neither is an error that keeps its text apart', async () => {
    const { events, reply } = await begun();
    reply.end();
    const error = await failureOf(events.next());
    expect(error).toBeInstanceOf(TruncatedStreamError);
    expect(error).toMatchObject({ outcome: 'unknown', retryable: true });
  });

  test('isn’t told by "null", which some services write as a word in each chunk', async () => {
    const chunk = delta('a', { finish_reason: 'null' });
    expect((await failing(chunk, chunk)).error).toBeInstanceOf(TruncatedStreamError);
    expect(await read(chunk, chunk, stop)).toMatchObject({ text: 'aa', end: { finishReason: 'stop' } });
  });

  test.each([
    ['MAX_TOKENS', 'length'],
    ['max_output_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['sensitive', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['end_turn', 'end_turn'],
  ])('by %s, as the maker of a model says it, is by %s', async (word, finishReason) => {
    const last = delta('', { finish_reason: word });
    expect(await read(delta('a'), last, done)).toMatchObject({ text: 'a', end: { finishReason } });
  });

  test.each(['insufficient_system_resource', 'network_error'])('by %s is an error', async (word) => {
    const last = delta('', { finish_reason: word });
    expect((await failing(delta('a'), last, done)).error).toBeInstanceOf(ServerError);
  });

  test.each([
    ['nothing at all', []],
    ['half an event', [delta('a'), 'data: {"choi']],
  ])('is an error after %s', async (_, chunks) => {
    expect((await failing(...chunks)).error).toBeInstanceOf(TruncatedStreamError);
  });

  test('by a lost connection is an error, and paid once', async () => {
    const { server, events, reply } = await begun();
    reply.destroy();
    const error = await failureOf(events.next());
    expect(error).toBeInstanceOf(TruncatedStreamError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  test('by a lost connection is none once the answer is complete', async () => {
    const { events, reply } = await begun();
    reply.chunk(stop);
    setImmediate(() => reply.destroy());
    expect((await collect(events)).end).toMatchObject({ finishReason: 'stop' });
  });

  test('is not waited for long once the answer is complete', async () => {
    const { clock, events, reply } = await begun();
    reply.chunk(stop);
    const end = events.next();
    await settle();
    await clock.advance(5_000);
    expect(await end).toMatchObject({ value: { type: 'end', finishReason: 'stop' } });
  });

  test('frees the connection for the next request', async () => {
    const ports = new Set<number | undefined>();
    const { client } = await stage((_, reply) => {
      ports.add(reply.socket.remotePort);
      answering(delta('a'), stop, done)(_, reply);
    });
    for (let turn = 0; turn < 3; turn++) {
      await collect(client.chat.stream(ask));
      await settle();
    }
    expect(ports.size).toBe(1);
  });

  test('closes a connection that stays open after [DONE]', async () => {
    const { clock, events, reply, closed } = await begun();
    reply.chunk(done);
    await collect(events);
    await clock.advance(1_000);
    await closed;
  });
});

const inChoice = (choice: object) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '' }, ...choice }] })}\n\n`;

describe('an error in mid-stream', () => {
  test('may be a reason to finish and no more', async () => {
    const { error } = await failing(delta('a'), inChoice({ finish_reason: 'error' }) + done);
    expect(error).toBeInstanceOf(ServerError);
  });

  test.each([
    [
      'as an object',
      `data: ${JSON.stringify({ error: { message: 'boom', type: 'server_error', code: 500 } })}\n\n`,
    ],
    ['as a text', `data: ${JSON.stringify({ error: 'boom' })}\n\n`],
    ['as an event of its own', 'event: error\ndata: {"message":"boom"}\n\n'],
    ['inside a choice', inChoice({ finish_reason: null, error: { message: 'boom', code: 502 } })],
    [
      'inside a choice that ends so',
      inChoice({ finish_reason: 'error', error: { message: 'boom' } }) + inChoice({ finish_reason: 'stop' }),
    ],
    ['inside a choice that looks whole', inChoice({ finish_reason: 'stop', error: 'boom' })],
    ['as an event of words', 'event: error\ndata: boom\n\n'],
  ])('%s comes after the text before it', async (_, event) => {
    const { client, server } = await stage(answering(delta('so far') + event + delta('never') + done));
    const events = client.chat.stream(ask);
    expect(await events.next()).toMatchObject({ value: { text: 'so far' } });
    const error = await failureOf(events.next());
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ outcome: 'unknown', serviceMessage: 'boom' });
    expect(server.received).toHaveLength(1);
  });

  test('is told by its code', async () => {
    const refused = `data: ${JSON.stringify({ error: { code: 'content_policy_violation', status: 400 } })}\n\n`;
    expect((await failing(delta('a'), refused)).error).toBeInstanceOf(ContentRefusedError);
  });

  test.each([
    ['and nothing else', ''],
    ['and [DONE]', done],
  ])('may be an envelope’s code and message %s', async (_, rest) => {
    const alone = `data: ${JSON.stringify({ code: 401, message: 'boom' })}\n\n`;
    expect((await failing(alone, rest)).error).toMatchObject({
      name: 'AuthenticationError',
      outcome: 'rejected',
      serviceMessage: 'boom',
    });
    expect((await failing(delta('a'), alone, rest)).error).toMatchObject({
      outcome: 'unknown',
      serviceMessage: 'boom',
    });
  });

  test('about the rate limit sends the request again while no text has come', async () => {
    const limited = `data: ${JSON.stringify({ error: { type: 'rate_limit_exceeded' } })}\n\n`;
    const { client, server, clock } = await stage((request, reply, index) =>
      answering(index < 2 ? limited : delta('at last') + stop + done)(request, reply),
    );
    expect(await outcome(clock, collect(client.chat.stream(ask)))).toMatchObject({ text: 'at last' });
    expect(server.received).toHaveLength(3);
  });

  test('about the rate limit does not after text has come', async () => {
    const { error, requests } = await failing(delta('a'), 'data: {"error":{"code":429}}\n\n');
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(requests).toBe(1);
  });

  test('about the rate limit does not after the model has thought, either', async () => {
    const thought = inChoice({ delta: { reasoning_content: 'Hm.' } });
    const { client, server, clock } = await stage(answering(thought, 'data: {"error":{"code":429}}\n\n'));
    const error = await outcome(clock, collect(client.chat.stream(ask)));
    expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  test('that is broken JSON is one', async () => {
    expect((await failing(delta('a'), 'data: {"choices": oops}\n\n', stop)).error).toBeInstanceOf(
      BadResponseError,
    );
  });

  test('that is a page is one', async () => {
    expect((await failing('<!doctype html><p>hello')).error).toBeInstanceOf(BadResponseError);
  });

  test('comes where an event never ends', async () => {
    const { client } = await stage(
      async (_, reply) => {
        reply.startEvents();
        reply.raw('7fffffff\r\ndata: ');
        while (!reply.socket.destroyed) {
          reply.raw('x'.repeat(65_536));
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      { limits: { eventCharacters: 300_000 } },
    );
    expect(await failureOf(collect(client.chat.stream(ask)))).toBeInstanceOf(TooLargeError);
  });
});
