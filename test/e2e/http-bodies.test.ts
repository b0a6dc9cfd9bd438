import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BotProcess } from '../crash/bot-process.ts';
import { cookieOf, keyHeaderOf } from '../platforms/console/support/visitor.ts';
import { consoleToken, openToAll } from './support/open-to-all.ts';

const metricsToken = 'a-token-for-metrics';
const mebibyte = 1024 ** 2;
/** What the attack would send if it were let. */
const wholeAttack = 450 * 1_000_000;
/** What two kernels hold of a connection on loopback, and what the server lets pass before it closes. */
const onTheWay = 14 * mebibyte;

let bot: BotProcess;
/** Of a session: its cookie, and its page's key. */
let session: { readonly cookie: string; readonly 'x-console-key': string };

beforeAll(async () => {
  bot = await openToAll((slack) => ({
    METRICS_TOKEN: metricsToken,
    SLACK_BOT_TOKEN: slack.install(slack.addWorkspace('acme')).token,
  }));
  const entered = await fetch(`${bot.url}/console/session`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: consoleToken }),
  });
  session = { cookie: cookieOf(entered), ...keyHeaderOf(entered) };
});

/** Memory of the bot's process, in bytes. */
async function memory(): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const metrics = await (await fetch(`${bot.url}/metrics`, { headers })).text();
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
}

interface Outcome {
  readonly status: number;
  /** Bytes of the body that were taken off this side's hands. */
  readonly taken: number;
}

/** Sends a body in chunks, without saying how long it is, until the other side has had enough. */
async function flood(method: string, path: string, type: string): Promise<Outcome> {
  const { port, hostname, host } = new URL(bot.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  let over = false;
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      over = true;
      resolve();
    };
    socket.on('end', end).on('close', end);
  });
  await once(socket, 'connect');
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\ncookie: ${session.cookie}\r\nx-console-key: ${session['x-console-key']}\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);
  for (let sent = 0; sent < wholeAttack && !over; sent += 0x10000) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => {}), ended]);
  }
  const taken = socket.bytesWritten - socket.writableLength;
  if (!over) socket.end('0\r\n\r\n');
  await ended;
  socket.destroy();
  return { status: Number(answer.split(' ')[1]), taken };
}

describe('a body without end', () => {
  const floods = [
    ['POST', '/slack/events', 'application/json', 413, 4 * mebibyte],
    ['POST', '/slack/events', 'application/x-www-form-urlencoded', 413, 4 * mebibyte],
    ['POST', '/console/session', 'application/x-www-form-urlencoded', 413, 4_096],
    ['POST', '/console/session', 'multipart/form-data; boundary=x', 413, 4_096],
    ['POST', '/console/commands', 'application/json', 413, 2 * mebibyte],
    ['POST', '/console/presses', 'application/json', 413, 2 * mebibyte],
    ['POST', '/console/channels', 'application/json', 413, 2 * mebibyte],
    ['PATCH', '/console/channels/x', 'application/json', 413, 2 * mebibyte],
    ['DELETE', '/console/channels/x', 'application/json', 413, 2 * mebibyte],
    ['DELETE', '/console/session', 'application/json', 413, 4_096],
    ['POST', '/console/files?name=a&type=b', 'application/octet-stream', 413, 25 * mebibyte],
    ['POST', '/nowhere', 'application/json', 404, 0],
    ['POST', '/', 'application/json', 404, 0],
    ['PUT', '/healthz', 'application/json', 404, 0],
    ['GET', '/healthz', 'application/json', 200, 0],
    ['POST', '/slack/install', 'application/json', 404, 0],
  ] as const;
  const outcomes = new Map<(typeof floods)[number], Outcome>();
  let [before, after] = [0, 0];
  // All at once: the server gives each whom it has answered a second to close.
  beforeAll(async () => {
    before = await memory();
    await Promise.all(floods.map(async (one) => outcomes.set(one, await flood(one[0], one[1], one[2]))));
    after = await memory();
  });

  it.each(floods.map((one) => [...one, one] as const))(
    '%s %s (%s) is answered early with %d, and read no further',
    (_method, _path, _type, status, most, one) => {
      const { status: answered, taken } = outcomes.get(one) ?? { status: 0, taken: wholeAttack };
      expect(answered).toBe(status);
      expect(taken).toBeLessThan(most + onTheWay);
    },
  );

  it('takes no more memory than what may be sent', () => {
    const most = floods.reduce((sum, [, , , , bytes]) => sum + bytes, 0);
    // Twice the limit, for a buffer that has grown into its next one, and what a process breathes.
    expect(after - before).toBeLessThan(2 * most + 48 * mebibyte);
  });

  it.each(['/slack/events', '/console/session', '/console/commands', '/console/files?name=a&type=b'])(
    'is refused at %s before any of it where it says how long it is',
    async (path) => {
      const response = await fetch(`${bot.url}${path}`, {
        method: 'POST',
        headers: session,
        body: new Uint8Array(26 * mebibyte),
      });
      expect(response.status).toBe(413);
    },
  );

  it('that never ends, on a hundred connections at once, takes the room of one another and no more', async () => {
    const { port, hostname } = new URL(bot.url);
    const before = await memory();
    const held = Array.from({ length: 100 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(
        `POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${4 * mebibyte}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(3.9 * mebibyte, 'x'));
      return socket;
    });
    const refused = held.slice(0, 50).map((socket) => once(socket, 'data'));
    for (const answer of await Promise.all(refused)) expect(String(answer[0])).toMatch(/^HTTP\/1.1 503 /);
    // Half of them were refused by now; whoever comes is not.
    const honest = await fetch(`${bot.url}/slack/events`, { method: 'POST', body: '{}' });
    expect(honest.status).toBe(401);
    expect((await memory()) - before).toBeLessThan(240 * mebibyte);
    for (const socket of held) socket.destroy();
  });

  it('leaves the bot as it was', async () => {
    expect((await fetch(`${bot.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${bot.url}/metrics`)).status).toBe(401);
    expect(bot.log).not.toMatch(/"level":(?:50|60)/);
  });
});
