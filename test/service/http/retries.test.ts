import { connect, createServer } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { ConnectionError, ServiceClient } from '../../../src/service/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { calls, good } from '../support/every-call.ts';
import { failureOf, film, key, outcome, patient, stage } from '../support/helpers.ts';
import type { Reply } from '../support/raw-server.ts';

type Answer = (reply: Reply) => void;

/** Answers, what becomes of a request by them, and which may follow: any, only one that's free, or none. */
const answers: Record<string, [outcome: string, again: 'any' | 'free' | 'none', answer: Answer]> = {
  '429': ['not-processed', 'any', (reply) => reply.send(429, '')],
  '429 with Retry-After': ['not-processed', 'any', (reply) => reply.send(429, '', { 'retry-after': '3' })],
  '503 with Retry-After': ['not-processed', 'any', (reply) => reply.send(503, '', { 'retry-after': '3' })],
  '503': ['unknown', 'free', (reply) => reply.send(503, '')],
  '500': ['unknown', 'free', (reply) => reply.send(500, '')],
  '500 with Retry-After': ['unknown', 'free', (reply) => reply.send(500, '', { 'retry-after': '3' })],
  '502': ['unknown', 'free', (reply) => reply.send(502, '<html>')],
  '408': ['unknown', 'free', (reply) => reply.send(408, '')],
  '400': ['rejected', 'none', (reply) => reply.send(400, '')],
  '401': ['rejected', 'none', (reply) => reply.send(401, '')],
  '404': ['rejected', 'none', (reply) => reply.send(404, '')],
  'a lost connection': ['unknown', 'free', (reply) => reply.destroy()],
  'a lost connection in mid-answer': [
    'unknown',
    'free',
    (reply) => {
      reply.raw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"id"');
      setImmediate(() => reply.destroy());
    },
  ],
  'something that is not HTTP': ['unknown', 'free', (reply) => reply.raw('SSH-2.0-OpenSSH_9.9\r\n\r\n')],
  'a page': ['unknown', 'free', (reply) => reply.send(200, '<html>')],
};

const matrix = Object.entries(calls).flatMap(([call, { paid, run }]) =>
  Object.entries(answers).map(([name, [expected, may, answer]]) => ({
    ...{ call, name, run, answer, expected },
    again: may === 'any' || (may === 'free' && !paid),
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

test('a caller is told before each attempt, and after each that was certainly not processed', async () => {
  const { client, clock } = await stage(
    (request, reply, index) => (index < 2 ? reply.send(429, '') : good(request, reply)),
    { timeouts: patient },
  );
  const told: string[] = [];
  const submitted = client.videos.submit(film, {
    beforeSending: async () => void told.push('sending'),
    onNotProcessed: async () => void told.push('not processed'),
  });
  expect(await outcome(clock, submitted)).not.toBeInstanceOf(Error);
  expect(told).toEqual(['sending', 'not processed', 'sending', 'not processed', 'sending']);
});

test.each([
  ['interactive', 'info'],
  // Whoever asks in the background asks again by themselves, for days, and says so.
  ['background', 'debug'],
] as const)('another try of a call that is %s is %s in the log', async (priority, level) => {
  const { client, clock, logged } = await stage((_, reply) => reply.send(503, ''), { timeouts: patient });
  await outcome(clock, client.videos.status('task-1', { priority }));
  const retries = logged.filter(({ event }) => event === 'retry');
  expect(retries.map((line) => line.level)).toEqual([level, level, level]);
});

test('a call that was refused for now leaves the queue at once where it is cancelled', async () => {
  // The clock stands still: nobody waits for the minute.
  const { client, server } = await stage((_, reply) => reply.send(429, '', { 'retry-after': '60' }), {
    timeouts: patient,
  });
  const cancelled = new AbortController();
  const submitted = client.videos.submit(film, {
    signal: cancelled.signal,
    onNotProcessed: async () => void setImmediate(() => cancelled.abort()),
  });
  await expect(submitted).rejects.toThrow();
  expect(server.received).toHaveLength(1);
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
      log: { debug: () => {}, info: (fields) => void retries.push(fields), warn: () => {} },
    });
    endsWithTest(() => client.close());
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
    endsWithTest(() => client.close());
    const submitted = client.videos.submit(film);
    const proxy = createServer((socket) => socket.pipe(connect(server.port, '127.0.0.1')).pipe(socket));
    proxy.listen(port, '127.0.0.1');
    endsWithTest(async () => void proxy.close());
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

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
