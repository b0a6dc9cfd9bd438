import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { StreamedText } from '../../../src/service/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { settle } from '../../fakes/clock.ts';
import { calls, good } from '../support/every-call.ts';
import { draw, outcome, stage } from '../support/helpers.ts';
import type { Reply } from '../support/raw-server.ts';

// RFC 9110, 15.2: a client reads any number of 1xx answers before the final one, whether it expects them or not. Older
// servers and some proxies send 100 to each POST.
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A failure is seen at once. */
const alone = { limits: { tries: 1 } };

/** Bytes in packets of their own. */
async function packets(reply: Reply, text: string, length: number): Promise<void> {
  for (let at = 0; at < text.length; at += length) {
    reply.raw(text.slice(at, at + length));
    await settle();
  }
}

describe('a go-ahead that nobody asked for', () => {
  test.each(Object.entries(calls))('is no answer to %s', async (_, { run }) => {
    const { client, server } = await stage((request, reply) => {
      reply.raw(goOn);
      good(request, reply);
    }, alone);
    await run(client);
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ['comes twice', goOn + goOn],
    ['has headers', 'HTTP/1.1 100 Continue\r\nserver: old\r\nx-sent: now\r\n\r\n'],
    ['has no words', 'HTTP/1.1 100\r\n\r\n'],
    ['comes before others', `${goOn}HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${goOn}`],
  ])('%s, in packets of any size', async (_, before) => {
    for (const length of [1, 2, 7, 12, 1_000]) {
      const { client } = await stage(async (request, reply) => {
        await packets(reply, before, length);
        good(request, reply);
      }, alone);
      await calls['images.submit']?.run(client);
    }
  });

  test('comes for each request of a connection', async () => {
    const { client, server } = await stage((request, reply) => {
      reply.raw(goOn);
      good(request, reply);
    }, alone);
    for (let request = 1; request <= 3; request++) await client.voices.list();
    expect(server.received).toHaveLength(3);
  });

  test('is not looked for in a refusal that begins while the request is still sent', async () => {
    const { promise: more, resolve: sendMore } = Promise.withResolvers<void>();
    const image: StreamedText = {
      bytes: 2_000,
      async *read() {
        yield Buffer.alloc(1_000, 'A');
        await more;
        yield Buffer.alloc(1, 'A');
        await new Promise(() => {});
      },
    };
    const server = createServer(async (socket) => {
      socket.setNoDelay(true);
      endsWithTest(async () => void socket.destroy());
      await once(socket, 'data');
      for (let turn = 0; turn < 5; turn++) await settle();
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nUG');
      for (let turn = 0; turn < 5; turn++) await settle();
      sendMore();
      await once(socket, 'data');
      socket.write('H');
    }).listen(0, '127.0.0.1');
    endsWithTest(async () => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { client, clock } = await stage(undefined, { ...alone, baseUrl: `http://127.0.0.1:${port}/v1` });
    const refused = client.images.submit({ ...draw, reference_images: [image] });
    expect(await outcome(clock, refused)).toMatchObject({ status: 413, serviceMessage: 'UGH' });
  });

  test('is no change to another protocol, which nobody asked for', async () => {
    const { client, clock } = await stage((_, reply) => {
      reply.raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');
    }, alone);
    expect(await outcome(clock, client.images.submit(draw))).toMatchObject({ name: 'ConnectionError' });
  });

  test('is looked for before an answer, not in it', async () => {
    const { client } = await stage(async (_, reply) => {
      const [start, end] = ['["a', `${goOn}b"]`.replaceAll('\r\n', ' ')];
      reply.raw(`HTTP/1.1 200 OK\r\ncontent-length: ${start.length + end.length}\r\n\r\n`);
      for (const piece of [start, end]) {
        reply.raw(piece);
        await settle();
      }
    });
    expect(await client.voices.list()).toMatchObject([{ id: 'aHTTP/1.1 100 Continue  b' }]);
  });
});
