import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { AddressRefusedError, ConnectionError, ResultGoneError } from '../../../src/service/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { bytesOf, failureOf, key, outcome, patient, png, stage, until } from '../support/helpers.ts';
import { RawServer, type Script } from '../support/raw-server.ts';

const at = (url: string) => ({ kind: 'url', url }) as const;

/** A service, and another host: every https address leads to `elsewhere`, in plain text. */
async function twoHosts(script: Script) {
  const elsewhere = await RawServer.start(script);
  endsWithTest(() => elsewhere.close());
  const resultDispatcher = new Agent({
    connect: (_, callback) => {
      const socket = connect(elsewhere.port, '127.0.0.1');
      socket.once('connect', () => callback(null, socket));
    },
  });
  endsWithTest(() => resultDispatcher.destroy());
  return { ...(await stage(undefined, { resultDispatcher, timeouts: patient })), elsewhere };
}

describe('a result', () => {
  test('on the service itself is fetched with the key', async () => {
    const { client, server } = await stage((_, reply) =>
      reply.send(200, png, { 'content-type': 'text/plain' }),
    );
    const download = await client.download(at(`${server.origin}/files/1.png`));
    expect(download).toMatchObject({ contentType: 'image/png', length: png.length });
    expect(await bytesOf(download)).toEqual(png);
    expect(server.received[0]).toMatchObject({
      path: '/files/1.png',
      headers: { authorization: `Bearer ${key}` },
    });
  });

  test('may be a path there', async () => {
    const { client, server } = await stage((_, reply) => reply.send(200, png));
    await bytesOf(await client.download(at('/files/1.png')));
    expect(server.received[0]?.path).toBe('/files/1.png');
  });

  test('elsewhere is fetched without the key', async () => {
    const { client, elsewhere } = await twoHosts((_, reply) => reply.send(200, png));
    expect(await bytesOf(await client.download(at('https://cdn.example.com/1.png?sig=x')))).toEqual(png);
    expect(elsewhere.received[0]).toMatchObject({
      path: '/1.png?sig=x',
      headers: { host: 'cdn.example.com' },
    });
    expect(JSON.stringify(elsewhere.received)).not.toContain('sk-svc');
  });

  test('that came within the answer is there at once', async () => {
    const { client } = await stage();
    const download = await client.download({ kind: 'bytes', bytes: png, contentType: 'image/png' });
    expect(download).toMatchObject({ contentType: 'image/png', length: png.length });
    expect(await bytesOf(download)).toEqual(png);
  });

  test('streams: its first bytes are there before its last, whose number need not be known', async () => {
    let finish: () => void = () => undefined;
    const { client, server } = await stage((_, reply) => {
      reply.start(200, { 'content-type': 'video/mp4' });
      reply.chunk(png);
      finish = () => {
        reply.chunk('end');
        reply.end();
      };
    });
    const download = await client.download(at(`${server.origin}/1`));
    expect(download.length).toBeUndefined();
    const chunks = download.stream[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toEqual(png);
    finish();
    expect(Buffer.from((await chunks.next()).value).toString()).toBe('end');
  });

  test('may be smaller than what tells its type, or compressed', async () => {
    const { client, server } = await stage((request, reply) =>
      request.path === '/tiny'
        ? reply.send(200, 'x', { 'content-type': 'image/x-tiny' })
        : reply.send(200, gzipSync(png), { 'content-encoding': 'gzip' }),
    );
    expect(await client.download(at(`${server.origin}/tiny`))).toMatchObject({
      contentType: 'image/x-tiny',
      length: 1,
    });
    const zipped = await client.download(at(`${server.origin}/zipped`));
    expect(zipped).toMatchObject({ contentType: 'image/png', length: undefined });
    expect(await bytesOf(zipped)).toEqual(png);
  });
});

describe('a result that is not there', () => {
  test.each([404, 410])('(%d) is gone', async (status) => {
    const { client, server } = await stage((_, reply) => reply.send(status, '{"error":"gone"}'));
    const error = await failureOf(client.download(at(`${server.origin}/1`)));
    expect(error).toBeInstanceOf(ResultGoneError);
    expect(error).toMatchObject({ status, retryable: false });
    expect(server.received).toHaveLength(1);
  });

  test('yet is asked for again', async () => {
    const { client, server, clock } = await stage(
      (_, reply, index) => (index < 3 ? reply.send(503, '') : reply.send(200, png)),
      { timeouts: patient },
    );
    expect(await outcome(clock, client.download(at(`${server.origin}/1`)))).toMatchObject({
      contentType: 'image/png',
    });
    expect(server.received).toHaveLength(4);
  });

  test.each([
    ['a page', '<html>', 'text/html; charset=utf-8'],
    ['a page that is called a video', '\n<!doctype html>', 'video/mp4'],
    ['an error that is called a file', '{"error":"expired"}', 'application/octet-stream'],
    ['an error in JSON', '{"error":"not ready"}', 'application/json'],
    ['an error in XML', '<Error/>', 'application/xml'],
    ['a problem', '{}', 'application/problem+json'],
    ['nothing', '', 'video/mp4'],
  ])('but %s is none', async (_, body, type) => {
    const { client, server, clock } = await stage(
      (_, reply) => reply.send(200, body, { 'content-type': type }),
      { timeouts: patient },
    );
    expect(await outcome(clock, client.download(at(`${server.origin}/1`)))).toMatchObject({
      name: 'BadResponseError',
    });
  });
});

describe('a size', () => {
  test('that is told and too large is refused before anything is read', async () => {
    let closed: Promise<unknown> | undefined;
    const { client, server, clock } = await stage((_, reply) => {
      closed = reply.closed;
      reply.raw(`HTTP/1.1 200 OK\r\ncontent-length: ${png.length}\r\n\r\n`);
    });
    const error = await failureOf(client.download(at(`${server.origin}/1`), { maxBytes: png.length - 1 }));
    await closed;
    expect(clock.pending).toBe(0);
    expect(error).toMatchObject({
      name: 'TooLargeError',
      limitBytes: png.length - 1,
      lengthBytes: png.length,
    });
    expect(server.received).toHaveLength(1);
  });

  test('that is not told is counted on the way', async () => {
    const { client, server } = await stage((_, reply) => {
      reply.start();
      for (let piece = 0; piece < 10; piece++) reply.chunk(png);
      reply.end();
    });
    const error = await failureOf(
      client.download(at(`${server.origin}/1`), { maxBytes: 500 }).then((download) => bytesOf(download)),
    );
    expect(error).toMatchObject({ name: 'TooLargeError', limitBytes: 500 });
  });

  test('of a result in memory counts too', async () => {
    const { client } = await stage();
    const result = { kind: 'bytes', bytes: png, contentType: undefined } as const;
    expect(await failureOf(client.download(result, { maxBytes: 5 }))).toMatchObject({
      name: 'TooLargeError',
    });
  });

  test('may be just what is allowed', async () => {
    const { client, server } = await stage((_, reply) => reply.send(200, png));
    expect(await bytesOf(await client.download(at(`${server.origin}/1`), { maxBytes: png.length }))).toEqual(
      png,
    );
  });
});

describe('a download that breaks off', () => {
  test('is an error of its stream', async () => {
    const { client, server } = await stage((_, reply) => {
      reply.raw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      reply.raw(png);
      setImmediate(() => reply.destroy());
    });
    const download = await client.download(at(`${server.origin}/1`));
    expect(await failureOf(bytesOf(download))).toBeInstanceOf(ConnectionError);
  });

  test('by a stall ends at the idle limit, but not by a slow reader', async () => {
    const { client, server, clock } = await stage((_, reply) => {
      reply.start();
      reply.chunk(png);
    });
    const download = await client.download(at(`${server.origin}/1`));
    const chunks = download.stream[Symbol.asyncIterator]();
    await chunks.next();
    await clock.advance(300_000);
    const failed = failureOf(chunks.next());
    await clock.advance(60_000);
    expect(await failed).toMatchObject({ name: 'TimeoutError', limit: 'idle' });
  });

  test.each(['leaving', 'cancel', 'signal', 'close'])('by %s ends the request', async (how) => {
    let closed: Promise<unknown> | undefined;
    const { client, server, clock } = await stage((_, reply) => {
      closed = reply.closed;
      reply.start();
      reply.chunk(png);
    });
    const stopping = new AbortController();
    const download = await client.download(at(`${server.origin}/1`), { signal: stopping.signal });
    if (how === 'leaving') for await (const _ of download.stream) break;
    if (how === 'cancel') download.cancel();
    if (how === 'signal') stopping.abort();
    if (how === 'close') await client.close();
    await closed;
    expect(clock.pending).toBe(0);
  });

  test('before it began ends the request too', async () => {
    const { client, server } = await stage();
    const stopping = new AbortController();
    const failed = failureOf(client.download(at(`${server.origin}/1`), { signal: stopping.signal }));
    await until(() => server.received.length === 1);
    stopping.abort();
    expect(await failed).toMatchObject({ name: 'CancelledError' });
  });
});

describe('a redirect', () => {
  const to = (location: string) => ({ location });

  test('from the service leads elsewhere without the key', async () => {
    const { client, server, elsewhere } = await twoHosts((_, reply) => reply.send(200, png));
    server.script((_, reply) => reply.send(302, '', to('https://cdn.example.com/1.png')));
    expect(await bytesOf(await client.download(at(`${server.origin}/1`)))).toEqual(png);
    expect(server.received[0]?.headers.authorization).toBeDefined();
    expect(elsewhere.received[0]?.headers.authorization).toBeUndefined();
  });

  test('from elsewhere leads on within its host', async () => {
    const { client, elsewhere } = await twoHosts((request, reply) =>
      request.path === '/a' ? reply.send(307, '', to('/b')) : reply.send(200, png),
    );
    await bytesOf(await client.download(at('https://cdn.example.com/a')));
    expect(elsewhere.received.map((request) => request.path)).toEqual(['/a', '/b']);
  });

  test('leads to another port of the service’s host, without the key', async () => {
    const beside = await RawServer.start((_, reply) => reply.send(200, png));
    endsWithTest(() => beside.close());
    const { client, server } = await stage();
    server.script((_, reply) => reply.send(302, '', to(`${beside.origin}/1`)));
    for (const origin of [server.origin, beside.origin])
      expect(await bytesOf(await client.download(at(`${origin}/1`)))).toEqual(Buffer.from(png));
    expect(server.received[0]?.headers.authorization).toBeDefined();
    expect(beside.received.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test('to a named host in one’s own network is followed there, without the key', async () => {
    const inside = await RawServer.start((_, reply) => reply.send(200, png));
    endsWithTest(() => inside.close());
    const { client, server } = await stage(undefined, { resultHosts: [`localhost:${inside.port}`] });
    server.script((_, reply) => reply.send(302, '', to(`http://localhost:${inside.port}/1`)));
    expect(await bytesOf(await client.download(at(`${server.origin}/1`)))).toEqual(Buffer.from(png));
    expect(inside.received[0]?.headers.authorization).toBeUndefined();
    const { client: other, server: another } = await stage((_, reply) =>
      reply.send(302, '', to(`http://localhost:${inside.port}/1`)),
    );
    expect(await failureOf(other.download(at(`${another.origin}/1`)))).toBeInstanceOf(AddressRefusedError);
  });

  test.each([
    ['http://cdn.example.com/1', 'not-https'],
    ['https://10.0.0.1/1', 'private'],
    ['https://localhost/1', 'private'],
    ['https://user:password@cdn.example.com/1', 'credentials'],
    ['file:///etc/passwd', 'unreadable'],
  ])('to %s is not followed', async (location, reason) => {
    const { client, server } = await twoHosts((_, reply) => reply.send(200, png));
    server.script((_, reply) => reply.send(302, '', to(location)));
    const error = await failureOf(client.download(at(`${server.origin}/1`)));
    expect(error).toBeInstanceOf(AddressRefusedError);
    expect(error).toMatchObject({ reason, retryable: false });
  });

  test('is followed five times', async () => {
    const { client, server } = await stage((_, reply, index) => reply.send(302, '', to(`/${index}`)));
    expect(await failureOf(client.download(at(`${server.origin}/1`)))).toMatchObject({
      reason: 'too-many-redirects',
    });
    expect(server.received).toHaveLength(6);
  });
});
