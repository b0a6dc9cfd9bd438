import { SocketModeReceiver, type webApi } from '@slack/bolt';
import { expect, test } from 'vitest';
import { clientOptions } from '../../../../src/platforms/slack/api/slack-api.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
const begin = async (options?: StageOptions) => (stage = await startStage(options));

/** Says something and waits for its one answer. */
async function isAnswered(text: string): Promise<void> {
  const { ada, general } = stage;
  const { message } = ada.says(`${ada.bot} ${text}`, general);
  await stage.until(() => stage.posts(general, message.ts).length > 0);
  await stage.pass(3_000);
  expect(stage.posts(general, message.ts)).toHaveLength(1);
}

test('two sockets are open, and the bot is ready', async () => {
  const { slack, platform } = await begin();
  expect(slack.sockets.connected).toBe(2);
  expect(platform.notReady()).toBeUndefined();
});

test('payloads come over either socket', async () => {
  await begin();
  for (const text of ['one', 'two', 'three', 'four']) await isAnswered(text);
});

test.each(['refresh', 'drop', 'warn'] as const)(
  'a socket that is gone by %s leaves no gap, and comes back',
  async (how) => {
    const { slack } = await begin();
    slack.sockets[how](0);
    const { ada, general } = stage;
    const { message, deliveries } = ada.says(`${ada.bot} in between`, general);
    await stage.until(() => stage.posts(general, message.ts).length > 0);
    // Acknowledged at the first try: the other socket took it.
    for (const delivery of deliveries) expect(delivery.attempts[0]?.result?.ok).toBe(true);
    await stage.pass(15_000);
    expect(slack.sockets.connected).toBe(2);
    await isAnswered('afterwards');
  },
);

test('both sockets lost at once: not ready meanwhile, back soon, and what Slack sends again is answered once', async () => {
  const { slack, platform, ada, general } = await begin();
  slack.sockets.drop(1);
  slack.sockets.drop(0);
  await stage.until(() => slack.sockets.connected === 0 || slack.sockets.opened > 2);
  const { message } = ada.says(`${ada.bot} lost?`, general);
  await stage.until(() => stage.posts(general, message.ts).length > 0, 400_000);
  await stage.pass(70_000);
  expect(stage.posts(general, message.ts)).toHaveLength(1);
  expect(slack.sockets.connected).toBe(2);
  expect(platform.notReady()).toBeUndefined();
});

// Fact: Slack’s socket client may not reconnect, changes its caller’s options, and stops without waiting (measured)
test('where Slack cannot be reached for a while the sockets come back by themselves', async () => {
  const { slack, platform } = await begin();
  slack.api.faults.plan('apps.connections.open', { kind: 'status', status: 503, when: 'before' }, 5);
  slack.sockets.drop(1);
  slack.sockets.drop(0);
  await stage.until(() => platform.notReady() !== undefined);
  await stage.until(() => slack.sockets.connected === 2, 200_000);
  await isAnswered('again');
});

// apps.connections.open is tier 3; another bot asked it 70 times a minute for more than an hour (instar#1076).
test('sockets that are gone as soon as they’re open are opened again, ever more rarely', async () => {
  const { slack, platform, clock } = await begin();
  slack.sockets.turnsAway = true;
  const since = clock.now();
  slack.sockets.drop(1);
  slack.sockets.drop(0);
  await stage.until(() => slack.sockets.opened > 30, 1_200_000);
  expect(clock.now() - since).toBeGreaterThan(60_000);
  await stage.until(() => platform.notReady() !== undefined);
  expect(platform.notReady()).toBe('no connection to Slack is open');
  slack.sockets.turnsAway = false;
  await stage.until(() => slack.sockets.connected === 2);
  expect(platform.notReady()).toBeUndefined();
});

test.each(['at the door', 'inside'] as const)(
  'a socket of which Slack says nothing (%s) is given up after half a minute',
  async (where) => {
    const { slack } = await begin();
    slack.sockets.silence = where;
    slack.sockets.drop(1);
    slack.sockets.drop(0);
    await stage.pass(20_000);
    expect(slack.sockets.connected).toBe(0);
    slack.sockets.silence = undefined;
    await stage.until(() => slack.sockets.connected === 2);
    await isAnswered('afterwards');
  },
);

test('where the app has as many sockets as Slack allows, operators are told so', async () => {
  const { slack, platform, log } = await begin();
  slack.sockets.others = 10;
  slack.sockets.drop(1);
  slack.sockets.drop(0);
  await stage.until(() => platform.notReady()?.includes('too_many_websockets') === true);
  expect(platform.notReady()).toContain('SLACK_APP_TOKEN');
  expect(log.at(-1)).toMatchObject({ level: 'warn', detail: { code: 'too_many_websockets' } });
  slack.sockets.others = 0;
  await stage.until(() => slack.sockets.connected === 2);
  slack.api.faults.plan('apps.connections.open', { kind: 'status', status: 503, when: 'before' }, 4);
  slack.sockets.drop(1);
  slack.sockets.drop(0);
  await stage.until(() => platform.notReady() === 'no connection to Slack is open');
});

test('the same event on both sockets is answered once, a command too', async () => {
  const { slack, ada, general } = await begin();
  slack.deliverer.copies = 2;
  await isAnswered('twice?');
  await ada.types('/ask twice?', general);
  await stage.until(() => stage.texts(general).some((text) => text.includes('*ada*')));
  await stage.pass(5_000);
  expect(stage.texts(general).filter((text) => text.includes('*ada*'))).toHaveLength(1);
});

test.each([
  ['app_rate_limited', { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1, api_app_id: 'A' }],
  ['an event without a type', { type: 'event_callback', event: {} }],
  ['nothing at all', undefined],
])('%s does no harm', async (_, payload) => {
  const { slack } = await begin();
  slack.sockets.sendRaw(JSON.stringify({ type: 'events_api', envelope_id: 'e1', payload }));
  slack.sockets.sendRaw('not even JSON');
  await stage.pass(1_000);
  await isAnswered('still there?');
});

test('that Slack leaves out events of a workspace is told in the log', async () => {
  const { slack, log } = await begin();
  const payload = { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1, api_app_id: 'A' };
  slack.sockets.sendRaw(JSON.stringify({ type: 'events_api', envelope_id: 'e1', payload }));
  await stage.until(() => log.some(({ message }) => message.includes('30,000 in an hour')));
});

test('after the end nothing is received', async () => {
  const { slack, platform } = await begin();
  await platform.stopReceiving();
  await stage.pass(30_000);
  expect(slack.sockets.connected).toBe(0);
});

test('an app-level token that Slack refuses is told where operators look', async () => {
  const { slack, platform } = await begin();
  slack.api.faults.plan('apps.connections.open', { kind: 'error', code: 'invalid_auth' }, 3);
  slack.sockets.drop(1);
  slack.sockets.drop(0);
  await stage.until(() => platform.notReady() === 'Slack refuses SLACK_APP_TOKEN (invalid_auth)');
  await stage.until(() => platform.notReady() === undefined);
});

test('the library changes the client options it is given; each client of troupe’s gets its own', () => {
  const given = { slackApiUrl: 'http://127.0.0.1:1/' };
  const receive = (options: webApi.WebClientOptions) =>
    new SocketModeReceiver({ appToken: 'xapp-1', installerOptions: { clientOptions: options } });
  receive(given);
  expect(given).toMatchObject({ retryConfig: { retries: 100 } });
  const own = clientOptions('http://127.0.0.1:1/');
  receive(own);
  expect(own.retryConfig).toEqual({ retries: 0 });
  expect(clientOptions('http://127.0.0.1:1/')).not.toBe(own);
});

test('what came right before it stops receiving is acknowledged, and answered', async () => {
  const { slack, platform, ada, general } = await begin();
  let isAsked = false;
  const who = () => (isAsked = true);
  slack.api.faults.plan('users.info', { kind: 'delay', ms: 1_000 }, 1, who);
  const typed = ada.types('/ask hello', general);
  await stage.until(() => isAsked);
  const stopped = platform.stopReceiving();
  await stage.until(() => stage.posts(general).length > 0);
  expect((await stage.done(typed)).acknowledged).toMatchObject({ ok: true });
  await stage.done(stopped);
  expect(slack.sockets.connected).toBe(0);
});

test('what takes too long to begin keeps it from stopping for two seconds', async () => {
  const { slack, platform, ada, general } = await begin();
  let isAsked = false;
  const who = () => (isAsked = true);
  slack.api.faults.plan('users.info', { kind: 'delay', ms: 60_000 }, 5, who);
  void ada.types('/ask hello', general);
  await stage.until(() => isAsked);
  const since = stage.clock.now();
  await stage.done(platform.stopReceiving());
  expect(stage.clock.now() - since).toBeLessThanOrEqual(2_000);
});

test('what is under way when it stops receiving is still answered', async () => {
  const { promise: underWay, resolve: finish } = Promise.withResolvers<void>();
  stage = await startStage({
    scripts: {
      ask: async ({ reply }) => {
        await underWay;
        await reply.say({ text: 'the answer' });
      },
    },
  });
  const { ada, general, platform, dispatcher } = stage;
  await ada.types('/ask hello', general);
  await platform.stopReceiving();
  const stopped = dispatcher.stop();
  finish();
  await stage.until(() => stage.texts(general).some((text) => text.includes('the answer')));
  await stage.done(stopped);
});
