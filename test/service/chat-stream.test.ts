import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  BadResponseError,
  CancelledError,
  ClientClosedError,
  ContentRefusedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TooLargeError,
  TruncatedStreamError,
} from '../../src/service/index.ts';
import { settle } from '../fakes/clock.ts';
import { ask, collect, delta, done, failureOf, outcome, stage, stop, until } from './helpers.ts';
import type { Reply } from './raw-server.ts';

/** A server that answers every request with these chunks of a stream, and then ends it. */
const answering =
  (...chunks: (string | Uint8Array)[]) =>
  (_: unknown, reply: Reply) => {
    reply.startEvents();
    for (const chunk of chunks) reply.chunk(chunk);
    reply.end();
  };

/** What a stream of these chunks is read as. */
async function read(...chunks: (string | Uint8Array)[]) {
  const { client } = await stage(answering(...chunks));
  return collect(client.chat.stream(ask));
}

async function failing(...chunks: (string | Uint8Array)[]) {
  const { client, server } = await stage(answering(...chunks));
  const error = await failureOf(collect(client.chat.stream(ask)));
  return { error, requests: server.received.length };
}

describe('the text of a stream', () => {
  test('is what the deltas say, and its end tells why, what it took and whose request it was', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
    const { client, server } = await stage((_, reply) => {
      reply.startEvents({ 'x-request-id': 'req-1' });
      reply.chunk(delta('Hel') + delta('lo') + stop);
      reply.chunk(`data: ${JSON.stringify({ choices: [], usage })}\n\n${done}`);
      reply.end();
    });
    const { text, end } = await collect(client.chat.stream(ask));
    expect(text).toBe('Hello');
    expect(end).toEqual({
      type: 'end',
      finishReason: 'stop',
      usage: { inputTokens: 6, outputTokens: 2, cacheReadTokens: 4, cacheCreationTokens: 0 },
      requestId: 'req-1',
    });
    expect(server.received[0]?.json()).toEqual({ ...ask, stream: true });
  });

  test('is the same with CR LF, with CR alone, and with a byte order mark', async () => {
    const plain = delta('a') + delta('b') + stop + done;
    expect((await read(plain.replaceAll('\n', '\r\n'))).text).toBe('ab');
    expect((await read(plain.replaceAll('\n', '\r'))).text).toBe('ab');
    expect((await read(`\uFEFF${plain}`)).text).toBe('ab');
  });

  test('does not hold comments, other fields and empty events', async () => {
    const noise = ': keep-alive\n\nevent: ping\ndata: \n\nid: 7\nretry: 10\n\nfoo: bar\n\n';
    expect((await read(noise, delta('a'), noise, delta('b'), stop, noise, done)).text).toBe('ab');
  });

  test('comes from data on several lines', async () => {
    const lines = JSON.stringify(JSON.parse(delta('two').slice(6)), null, 2)
      .split('\n')
      .map((line) => `data: ${line}\n`);
    expect((await read(`${lines.join('')}\n`, stop, done)).text).toBe('two');
  });

  test('survives one byte a packet, in characters of one to four bytes', async () => {
    const { client } = await stage(async (_, reply) => {
      reply.startEvents();
      for (const byte of Buffer.from(delta('né猫🐈‍⬛') + stop + done)) {
        reply.chunk(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      reply.end();
    });
    expect((await collect(client.chat.stream(ask))).text).toBe('né猫🐈‍⬛');
  });

  test('leaves out roles, empty and null content, reasoning, tool calls and other choices', async () => {
    const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
    const { text } = await read(
      chunk({ index: 0, delta: { role: 'assistant' } }),
      chunk({ index: 0, delta: { role: 'assistant', content: '' } }),
      chunk({ index: 0, delta: { content: null } }),
      chunk({ index: 0, delta: { content: null, reasoning_content: 'thinking' } }),
      chunk({ index: 0, delta: { reasoning: 'thinking' } }),
      chunk({ index: 0, delta: { tool_calls: [{ function: { arguments: '{}' } }] } }),
      chunk({ index: 1, delta: { content: 'other' } }),
      chunk({ index: 0, delta: { content: 'answer' } }),
      chunk({ index: 0 }),
      `data: ${JSON.stringify({ choices: [] })}\n\n`,
      `data: ${JSON.stringify({ object: 'ping' })}\n\n`,
      stop,
      done,
    );
    expect(text).toBe('answer');
  });

  test('comes from content in parts, and is not repeated by a last chunk with the whole message', async () => {
    const whole = `data: ${JSON.stringify({ choices: [{ index: 0, message: { content: 'ab' }, finish_reason: 'stop' }] })}\n\n`;
    expect(
      (await read(delta([{ type: 'text', text: 'a' }, { type: 'image' }]), delta('b'), whole, done)).text,
    ).toBe('ab');
    expect((await read(whole, done)).text).toBe('ab');
  });

  test('may be one event of a megabyte', async () => {
    const long = 'x'.repeat(2 ** 20);
    expect((await read(delta(long), stop, done)).text).toBe(long);
  });

  test('may be compressed', async () => {
    const { client } = await stage((_, reply) => {
      reply.startEvents({ 'content-encoding': 'gzip' });
      reply.chunk(gzipSync(delta('zipped') + stop + done));
      reply.end();
    });
    expect((await collect(client.chat.stream(ask))).text).toBe('zipped');
  });

  test('may come as plain JSON, even where a stream was asked for and the type says so', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const answer = {
      choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
      usage,
    };
    for (const contentType of ['application/json', 'text/event-stream']) {
      const { client } = await stage((_, reply) => reply.json(200, answer, { 'content-type': contentType }));
      const { text, end } = await collect(client.chat.stream(ask));
      expect(text).toBe('whole');
      expect(end).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 1 } });
    }
  });

  test('that arrived together is one event', async () => {
    const { client } = await stage(answering(delta('a') + delta('b') + delta('c') + stop + done));
    const types: string[] = [];
    for await (const event of client.chat.stream(ask))
      types.push(event.type === 'text' ? event.text : event.type);
    expect(types).toEqual(['abc', 'end']);
  });
});

describe('usage', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 7 };
  const read5and7 = { inputTokens: 5, outputTokens: 7, cacheReadTokens: 0, cacheCreationTokens: 0 };

  test.each([
    ['in the chunk that finishes', [delta('a'), delta('', { finish_reason: 'stop', usage }), done]],
    [
      'at the top of the last chunk',
      [
        delta('a'),
        `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage })}\n\n`,
        done,
      ],
    ],
    ['in a chunk without choices', [delta('a'), stop, `data: ${JSON.stringify({ usage })}\n\n`, done]],
    [
      'in the first chunk, and null in the others',
      [
        `data: ${JSON.stringify({ choices: [], usage })}\n\n`,
        delta('a'),
        `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage: null })}\n\n`,
      ],
    ],
  ])('is kept where it comes %s', async (_, chunks) => {
    const { end } = await read(...chunks);
    expect(end).toMatchObject({ finishReason: 'stop', usage: read5and7 });
  });
});

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
    const { client } = await stage(answering(delta('half an ans')));
    const events = client.chat.stream(ask);
    expect(await events.next()).toEqual({ done: false, value: { type: 'text', text: 'half an ans' } });
    const error = await failureOf(events.next());
    expect(error).toBeInstanceOf(TruncatedStreamError);
    expect(error).toMatchObject({ outcome: 'unknown', retryable: true });
  });

  test.each([
    ['nothing at all', []],
    ['half an event', [delta('a'), 'data: {"choi']],
  ])('is an error after %s', async (_, chunks) => {
    expect((await failing(...chunks)).error).toBeInstanceOf(TruncatedStreamError);
  });

  test('by a lost connection is an error, and paid once', async () => {
    const { client, server } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('a'));
      setImmediate(() => reply.destroy());
    });
    const error = await failureOf(collect(client.chat.stream(ask)));
    expect(error).toBeInstanceOf(TruncatedStreamError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  test('by a lost connection is none once the answer is complete', async () => {
    const { client } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('a') + stop);
      setImmediate(() => reply.destroy());
    });
    expect((await collect(client.chat.stream(ask))).text).toBe('a');
  });

  test('is not waited for long once the answer is complete', async () => {
    const { client, clock } = await stage((_, reply) => {
      reply.startEvents();
      reply.chunk(delta('a') + stop);
    });
    const events = client.chat.stream(ask);
    await events.next();
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
    let closed: Promise<unknown> | undefined;
    const { client, clock } = await stage((_, reply) => {
      closed = reply.closed;
      reply.startEvents();
      reply.chunk(delta('a') + done);
    });
    await collect(client.chat.stream(ask));
    await clock.advance(1_000);
    await closed;
  });
});

describe('an error in mid-stream', () => {
  test.each([
    [
      'as an object',
      `data: ${JSON.stringify({ error: { message: 'boom', type: 'server_error', code: 500 } })}\n\n`,
    ],
    ['as a text', `data: ${JSON.stringify({ error: 'boom' })}\n\n`],
    ['as an event of its own', 'event: error\ndata: {"message":"boom"}\n\n'],
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
