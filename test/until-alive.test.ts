import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alone } from '../src/coordination/index.ts';
import { systemClock as clock, type UntilAlive } from '../src/lib/clock.ts';
import { RestClient } from '../src/platforms/discord/api/rest.ts';
import { ChannelIds } from '../src/platforms/slack/api/channel-ids.ts';
import { RateLimits } from '../src/platforms/slack/api/rate-limits.ts';
import { SlackApi } from '../src/platforms/slack/api/slack-api.ts';
import { ResponseUrls } from '../src/platforms/slack/post/response-urls.ts';

/** A server that answers everything with an empty object, and remembers whether it was asked. */
async function someServer() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Ask = (url: string, untilAlive: UntilAlive) => Promise<unknown>;

const records = { get: async () => undefined, change: async () => 1 } as never;

const asks: Readonly<Record<string, Ask>> = {
  Discord: async (apiUrl, untilAlive) => {
    const rest = new RestClient({ token: 'token', apiUrl, untilAlive });
    onTestFinished(() => rest.close());
    return rest.asBot((discord) => discord.patch('/channels/1/messages/2', { body: {} }));
  },
  Slack: (url, untilAlive) => {
    const api = new SlackApi({
      clock,
      apiUrl: `${url}/api/`,
      tokens: async () => 'xoxb-token',
      rateLimits: new RateLimits(clock, alone()),
      losses: { check: () => {}, over: async () => {} } as never,
      channelIds: new ChannelIds({ set: async () => true, startingWith: async () => [] }, alone().signals),
      logger: { debug: () => {}, getLevel: () => 'error', setLevel: () => {}, setName: () => {} } as never,
      untilAlive,
      onError: () => {},
      onAnswer: async () => {},
    });
    return api.call('T', 'chat.update', { channel: 'C', ts: '1', text: 'more' });
  },
  'a response_url of Slack': (url, untilAlive) =>
    new ResponseUrls(records, { untilAlive }).say(url, { text: 'done' }, 'requester'),
};

describe('nothing leaves a process before it is known to live', () => {
  it.each(Object.entries(asks))('for %s', async (_, ask) => {
    const { asked, url } = await someServer();
    const alive = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const done = ask(url, () => {
      held.resolve();
      return alive.promise;
    }).catch(() => {});
    await held.promise;
    for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(asked).toEqual([]);
    alive.resolve();
    await done;
    expect(asked).toHaveLength(1);
  });
});
