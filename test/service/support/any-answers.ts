import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ServiceClient, ServiceError } from '../../../src/service/index.ts';
import { calls as everyCall } from './every-call.ts';
import { outcome, say, type Stage } from './helpers.ts';
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
  fc.constantFrom(null, true, 0, -1, 1e308, '', 'https://example.com/a', '/a', '45%'),
  fc.constantFrom('running', 'failed', 'done'),
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
export const json = fc.oneof(likely, fc.jsonValue());

/** Every call of the client. */
export const calls: ((client: ServiceClient) => Promise<unknown>)[] = [
  ...Object.values(everyCall).map(({ run }) => run),
  (client) => client.speech.create({ ...say, voice: 'unheard' }),
  async (client) => {
    for await (const _ of (await client.download({ kind: 'url', url: '/a' })).stream);
  },
];

const types = ['application/json', 'text/event-stream', 'text/html', 'audio/mpeg', 'x', ''];
const contentTypes = fc.constantFrom(...types);
const statuses = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(200, 201, 202) },
  fc.constantFrom(204, 206, 301, 400, 404, 429, 500, 503),
);

/** What an answer looks like on the wire. */
export interface Wire {
  bytes: Uint8Array;
  cuts: number[];
  lost: boolean;
}

/** Sends bytes as they are, in pieces, and then ends the connection in one of two ways. */
export async function send(reply: Reply, { bytes, cuts, lost }: Wire): Promise<void> {
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

export const answersOfJson = wire(
  fc
    .tuple(statuses, contentTypes, json)
    .map(([status, type, value]) => utf8(head(status, type) + JSON.stringify(value))),
);
export const streams = wire(
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
export const answersOfBytes = wire(
  fc
    .tuple(
      statuses,
      contentTypes,
      fc.constantFrom(
        ...['', 'content-encoding: gzip\r\n', 'content-encoding: br\r\n'],
        ...['content-length: 9\r\n', 'transfer-encoding: chunked\r\n'],
      ),
      fc.uint8Array({ maxLength: 500 }),
    )
    .map(
      ([status, type, rest, body]) =>
        new Uint8Array(Buffer.concat([Buffer.from(head(status, type, rest)), body])),
    ),
);
export const notEvenHttp = wire(
  fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc.string().map((text) => utf8(`HTTP/1.1 200 OK\r\n${text}\r\n\r\n${text}`)),
  ),
);

/** Each call ends with a result or an error of its own, and leaves no timer. */
export async function settlesWell(set: Stage, script: Script, index: number): Promise<void> {
  set.server.script(script);
  const result = await outcome(set.clock, calls[index]!(set.client));
  if (result instanceof Error && !(result instanceof ServiceError)) throw result;
  // A finished stream may have a second to end its body.
  await set.clock.advance(1_000);
  assert.equal(set.clock.pending, 0);
}
