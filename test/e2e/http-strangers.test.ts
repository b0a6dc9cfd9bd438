import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BotProcess } from '../crash/bot-process.ts';
import { openToAll } from './support/open-to-all.ts';

const long = 'x'.repeat(20_000);
let bot: BotProcess;

beforeAll(async () => {
  bot = await openToAll(({ credentials: { clientId, clientSecret } }) => ({
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SLACK_STATE_SECRET: 'a-secret-of-its-own',
  }));
});

/** Requests that nobody has a session or a signature for: the first line, then headers; a body behind an empty line. */
const requests = [
  'GET / HTTP/1.1',
  'GET // HTTP/1.1',
  'GET /nothing HTTP/1.1',
  'GET /api/v1/users HTTP/1.1',
  'GET /%E0%A4%A HTTP/1.1',
  'GET /console/%E0%A4%A HTTP/1.1',
  'GET /console/files/%FF/%00 HTTP/1.1',
  'GET /console/..%2f..%2fetc%2fpasswd HTTP/1.1',
  'GET http://evil.example/ HTTP/1.1',
  'GET http://[ HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'TRACE / HTTP/1.1',
  'PROPFIND / HTTP/1.1',
  `GET /${long} HTTP/1.1`,
  `GET / HTTP/1.1\r\nX: ${long}`,
  'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket',
  'GET / HTTP/1.1\r\nCookie: troupe_console=%E0%A4%A; a=%',
  'GET /console/state HTTP/1.1\r\nCookie: troupe_console=a.zzzz.b',
  `GET / HTTP/1.1\r\nAccept-Language: ${'a;q='.repeat(2_000)}`,
  'GET /?fault=__proto__ HTTP/1.1',
  'GET /console/main.js HTTP/1.1\r\nRange: bytes=9-1,,',
  'POST /console/commands HTTP/1.1\r\nOrigin: http://[\r\nContent-Length: 0',
  'POST /console/session HTTP/1.1\r\nContent-Type: multipart/form-data\r\nContent-Length: 3\r\n\r\nabc',
  `POST /console/session HTTP/1.1\r\nContent-Length: ${long.length}\r\n\r\n${long}`,
  'POST /console/session HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /console/session HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST /console/session HTTP/1.1\r\nExpect: something\r\nContent-Length: 5\r\n\r\nabcde',
  'DELETE /console/session HTTP/1.1',
  'GET /metrics HTTP/1.1\r\nAuthorization: Bearer x',
  'GET /readyz HTTP/1.1',
  'GET /readyz HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde',
  'GET /slack/install HTTP/1.1',
  'GET /slack/install/callback?code=x&state=y HTTP/1.1',
  'GET /slack/install/callback?code=%E0%A4%A&state=%FF HTTP/1.1\r\nCookie: troupe_slack_install=%',
  'GET /slack/events HTTP/1.1',
  'POST /slack/events HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n{}',
  '\x16\x03\x01\x02\x00',
] as const;

/** Sends a raw request; resolves to the response's status, 0 without one. */
function answerTo(request: string, host: string): Promise<number> {
  const [head = '', ...body] = request.split('\r\n\r\n');
  const { hostname, port } = new URL(bot.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => resolve(0));
    socket.once('close', () => resolve(0));
    socket.once('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(data.toString('latin1'))?.[1] ?? 0));
      socket.destroy();
    });
    socket.write(`${head}\r\nHost: ${host}\r\n\r\n${body.join('\r\n\r\n')}`);
  });
}

describe('what a stranger sends to the port', () => {
  it.each([
    ['its own name', '127.0.0.1'],
    ['a foreign name', 'evil.example'],
    ['a name that is none', 'a b'],
    ['a name of signs', '@:/?#'],
  ])('is answered, writes nothing on the log, and leaves the bot as it was: under %s', async (_, host) => {
    const before = bot.log;
    for (const request of requests) {
      const status = await answerTo(request, host);
      const readiness = request.includes('/readyz') ? [200, 503] : [];
      expect(readiness.includes(status) || (status >= 200 && status < 500), `${request} → ${status}`).toBe(
        true,
      );
    }
    expect(bot.log.slice(before.length)).toBe('');
    expect((await fetch(`${bot.url}/healthz`)).status).toBe(200);
  });
});
