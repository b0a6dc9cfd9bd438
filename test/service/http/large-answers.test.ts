import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeLongBase64 } from '../../../src/service/decode/answer.ts';
import { parseLargeJson } from '../../../src/service/http/read-json.ts';
import { settle } from '../../fakes/clock.ts';
import { draw, failureOf, stage, until } from '../support/helpers.ts';

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(3_000_000, 7)]);
const base64 = png.toString('base64');
const never = new AbortController().signal;
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

describe('an image in an answer of megabytes', () => {
  test.each([
    ['base64', { data: [{ b64_json: base64 }] }],
    ['a data URL', { images: [{ url: `data:image/png;base64,${base64}` }] }],
    ['base64 in an unusual place', { output: base64 }],
    ['base64 in lines', { data: [{ b64_json: `\n${base64.replace(/.{76}/g, '$&\n')}` }] }],
  ])('is found as %s', async (_, answer) => {
    const { client } = await stage((_request, reply) => reply.json(200, answer));
    const { result } = await client.images.create(draw);
    expect(result).toMatchObject({ kind: 'bytes', contentType: 'image/png' });
    expect(result.kind === 'bytes' && Buffer.compare(result.bytes, png)).toBe(0);
  });

  test('is part of a task, too', async () => {
    const { client } = await stage((_, reply) =>
      reply.json(200, { id: 'a', status: 'done', result: { b64_json: base64 } }),
    );
    expect(await client.images.status('a')).toMatchObject({
      state: 'ready',
      results: [{ contentType: 'image/png' }],
    });
  });

  test('is an error where it is no JSON', async () => {
    const { client } = await stage((_, reply) => reply.send(200, `{"data":"${base64}`));
    expect(await failureOf(client.images.create(draw))).toMatchObject({
      name: 'BadResponseError',
      outcome: 'unknown',
    });
  });

  test('is not read on once the caller has stopped', async () => {
    const stopping = new AbortController();
    const { client, server, clock } = await stage((_, reply) => reply.json(200, { b64_json: base64 }));
    const failed = failureOf(client.images.create(draw, { signal: stopping.signal }));
    await until(() => server.received.length === 1);
    await settle();
    stopping.abort();
    expect(await failed).toMatchObject({ name: 'CancelledError', outcome: 'unknown' });
    expect(clock.pending).toBe(0);
  });
});

describe('an answer that is short on the wire', () => {
  const container = (inner: string) => `{"data":[${inner},${inner}],"result":[${inner},${inner}]}`;
  let nested = '{}';
  for (let level = 0; level < 8; level++) nested = container(nested);

  test.each([
    ['nested', `{"id":"a","status":"running","data":[${nested}]}`],
    ['flat', `{"id":"a","status":"running","data":[${'{},'.repeat(400_000)}{}]}`],
    ['a list of numbers', `{"id":"a","status":"running","data":[${'1,'.repeat(400_000)}1]}`],
    [
      'of many names',
      `{"id":"a","status":"running"${Array.from({ length: 20_000 }, (_, at) => `,"n${at}":1`).join('')}}`,
    ],
  ])('and holds very many values is read no further: %s', async (_, answer) => {
    const { client } = await stage((_request, reply) =>
      reply.send(200, gzipSync(answer), { 'content-encoding': 'gzip' }),
    );
    const failed = await failureOf(client.videos.status('a'));
    expect(failed).toMatchObject({ name: 'BadResponseError' });
    expect(failed.message).toContain('too many values');
  });

  test('may have any number of commas, brackets and quotes in its texts', async () => {
    const prompt = '"[{,\\'.repeat(50_000);
    const { client } = await stage((_, reply) => reply.json(200, { id: 'a', status: 'running', prompt }));
    expect(await client.videos.status('a')).toMatchObject({ state: 'running' });
  });

  const encoded = (times: number, text: string) => {
    let bytes: Uint8Array = Buffer.from(text);
    for (let time = 0; time < times; time++) bytes = gzipSync(bytes);
    return bytes;
  };
  const zipped = (times: number) =>
    stage((_, reply) =>
      reply.send(200, encoded(Math.min(times, 3), '{"id":"a","status":"running"}'), {
        'content-encoding': Array(times).fill('gzip').join(', '),
      }),
    );

  test('may be encoded twice, by the service and by a proxy', async () => {
    const { client } = await zipped(2);
    expect(await client.videos.status('a')).toMatchObject({ state: 'running' });
  });

  test.each([3, 2_000])('and encoded %d times is not decoded', async (times) => {
    const { client } = await zipped(times);
    const failed = await failureOf(client.videos.status('a'));
    expect(failed).toMatchObject({ name: 'BadResponseError' });
    expect(failed.message).toContain('content encodings');
  });
});

describe('large JSON', () => {
  test('is parsed as any other', async () => {
    const value = { list: [1, 'two', null, { three: true }], text: 'x y '.repeat(50_000) };
    expect(await parseLargeJson(bytesOf(JSON.stringify(value)), never)).toEqual(value);
  });

  test('may be none', async () => {
    expect(await parseLargeJson(bytesOf('{'), never)).toBeUndefined();
  });

  test('is not waited for by who has stopped', async () => {
    const failed = failureOf(parseLargeJson(bytesOf('{}'), AbortSignal.abort(new Error('stopped'))));
    expect((await failed).message).toBe('stopped');
  });

  test('keeps short texts, long words and what is too deep', () => {
    let deep: unknown = base64;
    for (let level = 0; level < 20; level++) deep = [deep];
    const value = { short: 'AAAA', words: 'no base64 '.repeat(10_000), deep };
    expect(decodeLongBase64(value)).toEqual({ value, buffers: [] });
  });
});
