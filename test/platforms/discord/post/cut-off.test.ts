import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Keyv from 'keyv';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { PostedMessages } from '../../../../src/platforms/discord/post/records/posted-messages.ts';
import { LeaseEndedError } from '../../../../src/store/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { patience } from '../../../patience.ts';

it('a message that waits for its turn in a process that was taken for dead is posted by the other one alone', async () => {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    response.setHeader('content-type', 'application/json');
    if (requests > 1) return void response.end('{"id":"5"}');
    response.writeHead(429, { 'retry-after': '10', 'x-ratelimit-scope': 'user' });
    response.end('{"message":"slow down","retry_after":10,"global":false}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = new FakeClock();
  const records = new Keyv();
  const living = new Set(['here', 'there']);
  const from = (process: string) => {
    const { port } = server.address() as AddressInfo;
    const api = new DiscordApi({ token: 'token', apiUrl: `http://127.0.0.1:${port}`, clock });
    onTestFinished(() => api.close());
    const expectLiving = async () => {
      if (!living.has(process)) throw new LeaseEndedError();
    };
    const messages = new PostedMessages(records, api, clock, { expectLiving });
    return messages.postOnce('1', 'result', { content: 'A cat surfs' }, []);
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const here = from('here');
  const refused = expect(here).rejects.toThrow(LeaseEndedError);
  await vi.waitUntil(() => requests === 1, patience);
  await vi.waitUntil(() => clock.pending > 1, patience);
  living.delete('here');
  expect(await from('there')).toBe('5');
  await clock.advance(11_000);
  await refused;
  expect(requests).toBe(2);
});
