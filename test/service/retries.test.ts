import { getEventListeners } from 'node:events';
import { connect, createServer } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  CancelledError,
  ConnectionError,
  ServiceClient,
  type ServiceError,
} from '../../src/service/index.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import {
  ask,
  closeAfterwards,
  collect,
  delta,
  draw,
  failureOf,
  film,
  key,
  outcome,
  patient,
  say,
  stage,
  stop,
  until,
} from './helpers.ts';
import type { Received, Reply } from './raw-server.ts';

type Answer = (reply: Reply) => void;

const wav = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1');

/** What a good answer to a request is. */
function good(request: Received, reply: Reply): void {
  if (request.path === '/v1/audio/speech') reply.send(200, wav);
  else if (request.path === '/v1/audio/voices') reply.json(200, ['a']);
  else if (request.path === '/v1/chat/completions' && request.json().stream) {
    reply.startEvents();
    reply.chunk(delta('a') + stop);
    reply.end();
  } else if (request.path === '/v1/chat/completions')
    reply.json(200, { choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] });
  else reply.json(200, { id: 'task-1', data: [{ url: 'https://example.com/a.png' }] });
}

const calls: Record<string, { paid: boolean; run: (client: ServiceClient) => Promise<unknown> }> = {
  'chat.create': { paid: true, run: (client) => client.chat.create(ask) },
  'chat.stream': { paid: true, run: (client) => collect(client.chat.stream(ask)) },
  'speech.create': { paid: true, run: (client) => client.speech.create(say) },
  'images.create': { paid: true, run: (client) => client.images.create(draw) },
  'images.submit': { paid: true, run: (client) => client.images.submit(draw) },
  'videos.submit': { paid: true, run: (client) => client.videos.submit(film) },
  'voices.list': { paid: false, run: (client) => client.voices.list() },
  'images.status': { paid: false, run: (client) => client.images.status('a') },
  'videos.status': { paid: false, run: (client) => client.videos.status('a') },
};

/** Answers, whether a paid request may follow them, and whether a free one may. */
const answers: Record<string, { answer: Answer; paidAgain: boolean; freeAgain: boolean; outcome: string }> = {
  '429': {
    answer: (reply) => reply.send(429, ''),
    paidAgain: true,
    freeAgain: true,
    outcome: 'not-processed',
  },
  '429 with Retry-After': {
    answer: (reply) => reply.send(429, '', { 'retry-after': '3' }),
    paidAgain: true,
    freeAgain: true,
    outcome: 'not-processed',
  },
  '503 with Retry-After': {
    answer: (reply) => reply.send(503, '', { 'retry-after': '3' }),
    paidAgain: true,
    freeAgain: true,
    outcome: 'not-processed',
  },
  '503': { answer: (reply) => reply.send(503, ''), paidAgain: false, freeAgain: true, outcome: 'unknown' },
  '500': { answer: (reply) => reply.send(500, ''), paidAgain: false, freeAgain: true, outcome: 'unknown' },
  '500 with Retry-After': {
    answer: (reply) => reply.send(500, '', { 'retry-after': '3' }),
    paidAgain: false,
    freeAgain: true,
    outcome: 'unknown',
  },
  '502': {
    answer: (reply) => reply.send(502, '<html>'),
    paidAgain: false,
    freeAgain: true,
    outcome: 'unknown',
  },
  '408': { answer: (reply) => reply.send(408, ''), paidAgain: false, freeAgain: true, outcome: 'unknown' },
  '400': { answer: (reply) => reply.send(400, ''), paidAgain: false, freeAgain: false, outcome: 'rejected' },
  '401': { answer: (reply) => reply.send(401, ''), paidAgain: false, freeAgain: false, outcome: 'rejected' },
  '404': { answer: (reply) => reply.send(404, ''), paidAgain: false, freeAgain: false, outcome: 'rejected' },
  'a lost connection': {
    answer: (reply) => reply.destroy(),
    paidAgain: false,
    freeAgain: true,
    outcome: 'unknown',
  },
  'a lost connection in mid-answer': {
    answer: (reply) => {
      reply.raw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"id"');
      setImmediate(() => reply.destroy());
    },
    paidAgain: false,
    freeAgain: true,
    outcome: 'unknown',
  },
  'something that is not HTTP': {
    answer: (reply) => reply.raw('SSH-2.0-OpenSSH_9.9\r\n\r\n'),
    paidAgain: false,
    freeAgain: true,
    outcome: 'unknown',
  },
  'a page': {
    answer: (reply) => reply.send(200, '<html>'),
    paidAgain: false,
    freeAgain: true,
    outcome: 'unknown',
  },
};

const matrix = Object.entries(calls).flatMap(([call, { paid, run }]) =>
  Object.entries(answers).map(([name, { answer, paidAgain, freeAgain, outcome: expected }]) => ({
    call,
    name,
    run,
    answer,
    expected,
    again: paid ? paidAgain : freeAgain,
  })),
);

describe('after a failure', () => {
  test.each(matrix)('$call: $name → again: $again', async ({ run, answer, again, expected }) => {
    const { client, server, clock } = await stage(
      (request, reply, index) => (index < 2 ? answer(reply) : good(request, reply)),
      { timeouts: patient },
    );
    const result = await outcome(clock, run(client));
    if (again) {
      expect(result).not.toBeInstanceOf(Error);
      expect(server.received).toHaveLength(3);
      // The same request, to the byte.
      expect(new Set(server.received.map((request) => request.body.toString())).size).toBe(1);
    } else {
      expect(result).toBeInstanceOf(Error);
      expect(result).toMatchObject({ outcome: expected });
      expect(server.received).toHaveLength(1);
    }
    expect(clock.pending).toBe(0);
  });

  test.each(matrix.filter(({ again }) => again))(
    '$call: $name is tried four times, then told',
    async (row) => {
      const { client, server, clock } = await stage((_, reply) => row.answer(reply), { timeouts: patient });
      expect(await outcome(clock, row.run(client))).toMatchObject({ outcome: row.expected });
      expect(server.received).toHaveLength(4);
    },
  );
});

describe('a refused connection', () => {
  test.each(Object.entries(calls))('%s is tried four times, and was not processed', async (_, { run }) => {
    const clock = new FakeClock();
    const retries: unknown[] = [];
    const client = new ServiceClient({
      baseUrl: `http://127.0.0.1:${await closedPort()}/v1`,
      apiKey: key,
      clock,
      timeouts: patient,
      log: (_level, event, fields) => event === 'retry' && retries.push(fields),
    });
    closeAfterwards(() => client.close());
    const error = await outcome(clock, run(client));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'not-processed', retryable: true, code: 'ECONNREFUSED' });
    expect(retries).toHaveLength(3);
  });

  test('is no end where the service comes back', async () => {
    const { server, clock } = await stage(good);
    const port = await closedPort();
    const client = new ServiceClient({
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: key,
      clock,
      timeouts: patient,
    });
    closeAfterwards(() => client.close());
    const submitted = client.videos.submit(film);
    const proxy = createServer((socket) => socket.pipe(connect(server.port, '127.0.0.1')).pipe(socket));
    proxy.listen(port, '127.0.0.1');
    closeAfterwards(async () => void proxy.close());
    expect(await outcome(clock, submitted)).toMatchObject({ id: 'task-1' });
    expect(server.received).toHaveLength(1);
  });

  test.each(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    'by a certificate (%s) is not tried again',
    async (code) => {
      let connections = 0;
      const dispatcher = new Agent({
        connect: (_, callback) => {
          connections++;
          callback(Object.assign(new Error('no'), { code }), null);
        },
      });
      const { client } = await stage(good, { dispatcher });
      const error = await failureOf(client.videos.submit(film));
      expect(error).toMatchObject({ outcome: 'not-processed', retryable: false, code });
      expect(connections).toBe(1);
    },
  );
});

describe('the pause before the next try', () => {
  async function pauses(headers: Record<string, string>, status: number, random: number): Promise<number[]> {
    const { client, clock, server } = await stage((_, reply) => reply.send(status, '', headers), {
      timeouts: patient,
      random: () => random,
    });
    const times: number[] = [];
    const failed = failureOf(client.videos.status('a'));
    for (let attempt = 1; attempt <= 4; attempt++) {
      while (server.received.length < attempt) await clock.advance(attempt === 1 ? 0 : 50);
      times.push(clock.now());
    }
    await failed;
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  }

  test('doubles, with full jitter', async () => {
    expect(await pauses({}, 500, 1)).toEqual([500, 1_000, 2_000]);
    expect(await pauses({}, 500, 0.5)).toEqual([250, 500, 1_000]);
  });

  test('is what the service asks for', async () => {
    expect(await pauses({ 'retry-after': '7' }, 503, 1)).toEqual([7_000, 7_000, 7_000]);
    expect(await pauses({ 'retry-after-ms': '250' }, 429, 1)).toEqual([250, 250, 250]);
  });

  test('is never longer than a minute, and a moment after a 429 that names none', async () => {
    expect(await pauses({ 'retry-after': '86400' }, 503, 1)).toEqual([60_000, 60_000, 60_000]);
    expect(await pauses({}, 429, 0)).toEqual([1_000, 1_000, 1_000]);
  });

  test.each([
    ['503', 'a pause of this call'],
    ['429', 'a pause of the whole group'],
  ])('ends at once when the caller stops: %s, %s', async (status) => {
    const { client, clock, server } = await stage((_, reply) =>
      reply.send(Number(status), '', { 'retry-after': '30' }),
    );
    const stopping = new AbortController();
    const failed = failureOf(client.videos.submit(film, { signal: stopping.signal }));
    await until(() => server.received.length === 1);
    await clock.advance(1_000);
    stopping.abort();
    const error = await failed;
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as ServiceError).outcome).toBe('not-processed');
    expect(server.received).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

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

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
