import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Keyv from 'keyv';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { FollowUps, PostedMessages } from '../../../../src/platforms/discord/post/posted-messages.ts';
import { AnswerMessages } from '../../../../src/platforms/discord/reply/reply-target.ts';
import { LeaseEndedError, unlessTakenOver } from '../../../../src/store/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { patience } from '../../../patience.ts';

let clock: FakeClock;
let url: string;
/** How many requests Discord got; it let the first wait for ten seconds. */
let requests: number;

beforeEach(async () => {
  clock = new FakeClock();
  requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    response.setHeader('content-type', 'application/json');
    if (requests > 1) return void response.end('{"id":"5"}');
    response.writeHead(429, { 'retry-after': '10', 'x-ratelimit-scope': 'user' });
    response.end('{"message":"slow down","retry_after":10,"global":false}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
});

function connected(): DiscordApi {
  const api = new DiscordApi({ token: 'token', apiUrl: url, clock });
  onTestFinished(() => api.close());
  return api;
}

const identity = () => ({ id: '2', name: 'troupe', applicationId: '2' });

/** Waits until what was begun has to wait for its turn. */
async function itWaits(): Promise<void> {
  await vi.waitUntil(() => requests === 1, patience);
  await vi.waitUntil(() => clock.pending > 1, patience);
}

it('a message that waits for its turn in a process that was taken for dead is posted by the other one alone', async () => {
  const records = new Keyv();
  const living = new Set(['here', 'there']);
  const from = (process: string) => {
    const expectLiving = async () => {
      if (!living.has(process)) throw new LeaseEndedError();
    };
    const messages = new PostedMessages(records, { api: connected(), identity, clock }, { expectLiving });
    return messages.postOnce('1', 'result', { body: { content: 'A cat surfs' } });
  };
  const here = from('here');
  const refused = expect(here).rejects.toThrow(LeaseEndedError);
  await itWaits();
  living.delete('here');
  expect(await from('there')).toBe('5');
  await clock.advance(11_000);
  await refused;
  expect(requests).toBe(2);
});

describe.each(['a message of a growing answer', 'a follow-up'])('%s that waits for its turn', (what) => {
  const post = (state: { lease: Error | undefined }) => {
    const [api, records] = [connected(), new Keyv()];
    const expectLiving = async () => {
      if (state.lease) throw state.lease;
    };
    const guard = () => unlessTakenOver(clock, expectLiving);
    const body = { content: 'The first words' };
    if (what === 'a follow-up') {
      const capabilities = { find: async () => undefined } as never;
      const followUps = new FollowUps({
        ...{ api, applicationId: () => '2', capabilities, records, clock, unlessTakenOver: guard },
      });
      return followUps.post({ token: 'a token', key: 'live 1', body, files: [] });
    }
    const postedMessages = new PostedMessages(records, { api, identity, clock });
    const services = { api, identity, clock, postedMessages, unlessTakenOver: guard };
    return new AnswerMessages(services, '3').post('1', 'live 0', { body });
  };

  it('isn’t posted by a process that was taken for dead', async () => {
    const state: { lease: Error | undefined } = { lease: undefined };
    const refused = expect(post(state)).rejects.toThrow(LeaseEndedError);
    await itWaits();
    state.lease = new LeaseEndedError();
    await clock.advance(11_000);
    await refused;
    expect(requests).toBe(1);
  });

  it('is posted while the database is away: nobody is silenced', async () => {
    const state: { lease: Error | undefined } = { lease: undefined };
    const posted = post(state);
    await itWaits();
    state.lease = Object.assign(new Error('away'), { code: 'ERR_POSTGRES_AWAY' });
    await clock.advance(11_000);
    expect(await posted).toBe('5');
  });
});
