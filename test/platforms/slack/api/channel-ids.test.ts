import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { alone } from '../../../../src/coordination/index.ts';
import { ChannelIds } from '../../../../src/platforms/slack/api/channel-ids.ts';
import { RateLimits } from '../../../../src/platforms/slack/api/rate-limits.ts';
import { SlackApi } from '../../../../src/platforms/slack/api/slack-api.ts';
import { passWhile } from '../../../fakes/calm.ts';
import { startTrial } from '../../../fakes/slack/trial.ts';

const { signals } = alone();
let kept: Map<string, unknown>;
beforeEach(() => {
  kept = new Map();
});
const store = {
  set: async (key: string, value: unknown) => kept.set(key, value) !== undefined,
  startingWith: async <T>(prefix: string) =>
    [...kept].flatMap(([key, value]) => (key.startsWith(prefix) ? [value as T] : [])),
};
const lost = { ...signals, send: () => Promise.reject(new Error('no database')), on: () => () => {} };
const create = (heard = signals) => new ChannelIds(store, heard);

describe('a channel that has had several ids', () => {
  it.each([
    ['one after the other', ['A B', 'B C']],
    ['told in the other order', ['B C', 'A B']],
    ['told again later', ['A B', 'B C', 'A B', 'B C']],
    ['and, as Slack says nowhere, one of them again', ['A B', 'B C', 'C A', 'B B']],
  ])('is called by its first, and reached by its last: %s', async (_, told) => {
    const ids = create();
    for (const [from, to] of told.map((one) => one.split(' '))) await ids.moved(from!, to!);
    expect(['A', 'B', 'C', 'D'].map((id) => ids.now(id))).toEqual(['C', 'C', 'C', 'D']);
    expect(['A', 'B', 'C', 'D'].map((id) => ids.all(id).join(''))).toEqual(['ABC', 'ABC', 'ABC', 'D']);
    const events = ['A', 'B', 'C', 'D'].map((channel) => ids.inPayload({ event: { channel } }));
    expect(events.map(({ event }) => event.channel)).toEqual(['A', 'A', 'A', 'D']);
  });

  it('is so for a process that starts later, for another at once, and for one that didn’t hear it', async () => {
    const [told, hearing, deaf] = [create(), create(), create(lost)];
    await told.moved('A', 'B');
    expect([hearing.now('A'), deaf.now('A')]).toEqual(['B', 'A']);
    const later = create();
    for (const ids of [later, deaf]) await ids.load();
    expect([later.now('A'), deaf.now('A')]).toEqual(['B', 'B']);
  });
});

it('payloads name their channel in one of these places, and nothing else of them is changed', async () => {
  const ids = create();
  await ids.moved('A', 'B');
  const text = { user_id: 'B', text: 'B', message: { channel: 'B' } };
  const payloads = [
    { channel_id: 'B' },
    { channel: { id: 'B', name: 'B' }, container: { channel_id: 'B' } },
    { event: { channel: 'B', text: 'B' } },
    { event: { channel: { id: 'B' } } },
    { event: { inputs: { channel: 'B', prompt: 'B' } } },
    { event: { type: 'channel_id_changed', old_channel_id: 'A', new_channel_id: 'B' } },
  ];
  expect(payloads.map((payload) => ids.inPayload({ ...text, ...payload }))).toEqual([
    { ...text, channel_id: 'A' },
    { ...text, channel: { id: 'A', name: 'B' }, container: { channel_id: 'A' } },
    { ...text, event: { channel: 'A', text: 'B' } },
    { ...text, event: { channel: { id: 'A' } } },
    { ...text, event: { inputs: { channel: 'A', prompt: 'B' } } },
    { ...text, ...payloads[5] },
  ]);
});

it('a call that’s refused under the id before goes to the one that another process was told of', async () => {
  const { slack, workspace, installation, clock, ada } = await startTrial();
  onTestFinished(() => slack.stop());
  const channel = slack.channel(workspace, 'project', [ada], { kind: 'group' });
  const { from, to } = slack.world.giveId(channel);
  const [told, deaf] = [create(), create(lost)];
  const api = new SlackApi({
    ...{ clock, apiUrl: slack.apiUrl, rateLimits: new RateLimits(clock, alone()), channelIds: deaf },
    tokens: async () => installation.token,
    losses: { check: () => {}, over: async () => {} } as never,
    logger: { debug: () => {}, getLevel: () => 'error', setLevel: () => {}, setName: () => {} } as never,
    onError: () => {},
    onAnswer: async () => {},
  });
  const post = () => api.call(workspace.id, 'chat.postMessage', { channel: from, text: 'x' });
  await expect(passWhile(clock, post())).rejects.toThrow('channel_not_found');
  await told.moved(from, to);
  expect((await passWhile(clock, post())).channel).toBe(to);
});
