import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeChatPiece } from '../../src/service/decode/chat-chunk.ts';
import { decodeErrorBody, decodeErrorValue } from '../../src/service/decode/error-body.ts';
import { mediaType } from '../../src/service/decode/media-type.ts';
import { ShapeReporter } from '../../src/service/decode/shape.ts';
import { decodeTask } from '../../src/service/decode/task.ts';
import { decodeVoices } from '../../src/service/decode/voices.ts';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import { ask, collect, draw, film, outcome, patient, type Stage, say, stage } from './helpers.ts';
import type { Reply, Script } from './raw-server.ts';

/** JSON that looks like answers do: the names and words the decoders look for, in any place. */
const names = fc.constantFrom(
  ...'id status state data error errors message code detail choices delta content finish_reason usage index text'.split(
    ' ',
  ),
  ...'prompt_tokens url b64_json video image output result results progress percent voices languages done task'.split(
    ' ',
  ),
  '__proto__',
  'constructor',
  'toString',
);
const leaves = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1e308,
    '',
    'running',
    'failed',
    'done',
    'https://example.com/a',
    '/a',
    '45%',
  ),
  fc.constantFrom('data:image/png;base64,iVBORw0KGgo=', 'iVBORw0KGgo='.repeat(9), '\ud800'),
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const likely = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    leaves,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(names, tie('value')), { maxLength: 6, selector: ([name]) => name })
      .map((entries) =>
        // As `JSON.parse` does, so that `__proto__` is a field like any other.
        JSON.parse(
          `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
        ),
      ),
  ),
})).value;
const json = fc.oneof(likely, fc.jsonValue());

const calls: ((client: ServiceClient) => Promise<unknown>)[] = [
  (client) => client.chat.create(ask),
  (client) => collect(client.chat.stream(ask)),
  (client) => client.speech.create(say),
  (client) => client.speech.create({ ...say, voice: 'unheard' }),
  (client) => client.voices.list(),
  (client) => client.images.create(draw),
  (client) => client.images.submit(draw),
  (client) => client.images.status('a'),
  (client) => client.videos.submit(film),
  (client) => client.videos.status('a'),
  async (client) => {
    const download = await client.download({ kind: 'url', url: '/a' });
    for await (const _ of download.stream);
  },
];

const contentTypes = fc.constantFrom(
  'application/json',
  'text/event-stream',
  'text/html',
  'audio/mpeg',
  'x',
  '',
);
const statuses = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(200, 201, 202) },
  fc.constantFrom(204, 206, 301, 400, 404, 429, 500, 503),
);

/** What an answer looks like on the wire. */
interface Wire {
  bytes: Uint8Array;
  cuts: number[];
  lost: boolean;
}

/** Sends bytes as they are, in pieces, and then ends the connection in one of two ways. */
async function send(reply: Reply, { bytes, cuts, lost }: Wire): Promise<void> {
  let from = 0;
  for (const cut of [
    ...cuts.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ]) {
    reply.raw(bytes.subarray(from, cut));
    from = cut;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (lost) reply.socket.resetAndDestroy();
  else reply.socket.end();
}

const wire = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Wire> =>
  fc.record({
    bytes,
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
    lost: fc.boolean(),
  });

function head(status: number, contentType: string, rest = ''): string {
  return `HTTP/1.1 ${status} Status\r\n${contentType && `content-type: ${contentType}\r\n`}${rest}\r\n`;
}

const utf8 = (text: string) => new Uint8Array(Buffer.from(text));

const answersOfJson = wire(
  fc
    .tuple(statuses, contentTypes, json)
    .map(([status, type, value]) => utf8(head(status, type) + JSON.stringify(value))),
);
const streams = wire(
  fc
    .tuple(
      statuses,
      contentTypes,
      fc.array(
        fc.tuple(
          fc.constantFrom('data: ', 'event: ', ': ', 'id: ', '', 'data'),
          fc.oneof(
            json.map((value) => JSON.stringify(value)),
            fc.constantFrom('[DONE]', 'error', ''),
          ),
          fc.constantFrom('\n', '\n\n', '\r\n\r\n', '\r'),
        ),
      ),
    )
    .map(([status, type, lines]) => utf8(head(status, type) + lines.flat().join(''))),
);
const answersOfBytes = wire(
  fc
    .tuple(
      statuses,
      contentTypes,
      fc.constantFrom(
        '',
        'content-encoding: gzip\r\n',
        'content-encoding: br\r\n',
        'content-length: 9\r\n',
        'transfer-encoding: chunked\r\n',
      ),
      fc.uint8Array({ maxLength: 500 }),
    )
    .map(
      ([status, type, rest, body]) =>
        new Uint8Array(Buffer.concat([Buffer.from(head(status, type, rest)), body])),
    ),
);
const notEvenHttp = wire(
  fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc.string().map((text) => utf8(`HTTP/1.1 200 OK\r\n${text}\r\n\r\n${text}`)),
  ),
);

const impatient = { ...patient, task: 10_000 };

async function settlesWell(set: Stage, script: Script, index: number): Promise<void> {
  set.server.script(script);
  const result = await outcome(set.clock, calls[index]!(set.client));
  if (result instanceof Error && !(result instanceof ServiceError)) throw result;
  // A finished stream may have a second to end its body.
  await set.clock.advance(1_000);
  expect(set.clock.pending).toBe(0);
}

describe.each([
  ['JSON', answersOfJson],
  ['events', streams],
  ['bytes', answersOfBytes],
  ['what is not even HTTP', notEvenHttp],
])('whatever a service answers, be it %s,', (_, arbitrary) => {
  test('each call ends with a result or an error of its own, and leaves no timer', async () => {
    const set = await stage(undefined, { timeouts: impatient });
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.nat(calls.length - 1), (answer, index) =>
        settlesWell(set, (_request, reply) => send(reply, answer), index),
      ),
      { numRuns: 250 },
    );
  });
});

describe('the decoders', () => {
  test('take any JSON', () => {
    const shapes = new ShapeReporter(() => undefined);
    fc.assert(
      fc.property(json, (value) => {
        decodeChatPiece(value);
        decodeErrorValue(value);
        decodeVoices(value);
        for (const kind of ['image', 'video'] as const) {
          const task = decodeTask(value, kind, shapes);
          if (!task) continue;
          const { state, progress = 0, results } = task.status;
          expect(['waiting', 'running', 'ready', 'failed']).toContain(state);
          expect(progress).toBeGreaterThanOrEqual(0);
          expect(progress).toBeLessThanOrEqual(1);
          if (state !== 'ready') expect(results).toEqual([]);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('take any text and any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (text, bytes) => {
        decodeErrorBody(text);
        mediaType(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  test('pollute no prototype', () => {
    decodeTask(
      JSON.parse('{"__proto__":{"polluted":1},"id":"a"}'),
      'image',
      new ShapeReporter(() => undefined),
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('an answer without end', () => {
  const bytes = 200_000;
  const limits = { tries: 1, answerBytes: bytes, speechBytes: bytes, eventCharacters: bytes };
  const heads: Record<string, string> = {
    'of one string': '{"id":"',
    'of spaces': ' ',
    'of an event': 'data: {"',
    'of audio': 'RIFF\0\0\0\0WAVE',
    'of a page': '<html>',
  };

  test.each(
    Object.keys(heads).flatMap((name) =>
      calls.slice(0, -1).map((call, index) => [name, index, call] as const),
    ),
  )('%s ends call %d before it fills the memory', async (name, _, call) => {
    let sent = 0;
    const { client, clock } = await stage(
      async (_request, reply) => {
        reply.start();
        reply.chunk(heads[name] ?? '');
        const filler = name === 'of spaces' ? ' ' : 'x';
        while (!reply.socket.destroyed && sent < 1_000 * bytes) {
          reply.chunk(filler.repeat(16_384));
          sent += 16_384;
          if (reply.socket.writableNeedDrain)
            await Promise.race([new Promise((resolve) => reply.socket.once('drain', resolve)), reply.closed]);
        }
        reply.destroy();
      },
      { limits, timeouts: patient },
    );
    const result = await outcome(clock, call(client));
    expect(result).toBeInstanceOf(ServiceError);
    // The system's own buffers take some megabytes for each connection.
    expect(sent).toBeLessThan(100 * bytes);
  });

  test.each(calls.map((call, index) => [index, call] as const))(
    'in its head ends call %d',
    async (_, call) => {
      const { client, clock } = await stage(
        async (_request, reply) => {
          reply.raw('HTTP/1.1 200 OK\r\n');
          for (let line = 0; !reply.socket.destroyed; line++) {
            reply.raw(`x-${line}: ${'x'.repeat(1_000)}\r\n`);
            await new Promise((resolve) => setImmediate(resolve));
          }
        },
        { limits, timeouts: patient },
      );
      expect(await outcome(clock, call(client))).toBeInstanceOf(ServiceError);
    },
  );
});
