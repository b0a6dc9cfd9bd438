import { beforeEach, describe, expect, test } from 'vitest';
import { eventCallback } from '../../../fakes/slack/events/events.ts';
import type { Json } from '../../../fakes/slack/index.ts';
import { publicUrl, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await startStage({ mode: 'http' });
});

const fetch = (request: Request) => stage.platform.routes.fetch(request);

function payload(): Json {
  const { slack, workspace, ada, general } = stage;
  return eventCallback(slack.world, workspace, {
    type: 'app_mention',
    user: ada.user.id,
    text: `${ada.bot} hello`,
    channel: general.id,
    ts: ada.says('a root', general).message.ts,
  });
}

const request = (forged: Parameters<Stage['slack']['http']['request']>[3] = {}) =>
  stage.slack.http.request('events_api', payload(), undefined, forged);
const seconds = () => Math.floor(stage.clock.now() / 1_000);

test('that Slack leaves out events of a workspace is told in the log', async () => {
  const told = { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1, api_app_id: 'A' };
  const response = await fetch(stage.slack.http.request('events_api', told, undefined, {}));
  expect(response.status).toBe(200);
  expect(stage.log.filter(({ level }) => level === 'warn')).toEqual([
    { level: 'warn', detail: { workspace: 'T1' }, message: expect.stringContaining('30,000 in an hour') },
  ]);
});

describe('a request is refused', () => {
  test.each([
    ['with a wrong secret', 'SLACK_SIGNING_SECRET', () => ({ secret: 'another' })],
    [
      'with another body than was signed',
      'SLACK_SIGNING_SECRET',
      () => ({ body: '{"type":"event_callback"}' }),
    ],
    ['that is older than five minutes', 'this machine’s clock', () => ({ timestamp: seconds() - 301 })],
    ['that is from the future', 'this machine’s clock', () => ({ timestamp: seconds() + 301 })],
  ])('%s, and the log says what may be wrong here: %s', async (_, cause, forged) => {
    const response = await fetch(request(forged()));
    expect(response.status).toBe(401);
    expect(stage.log.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: expect.stringContaining(cause) },
    ]);
    await stage.pass(5_000);
    expect(stage.posts(stage.general)).toEqual([]);
  });

  test('without a signature', async () => {
    const response = await fetch(new Request(`${publicUrl}/slack/events`, { method: 'POST', body: '{}' }));
    expect(response.status).toBe(401);
  });

  test('and said to the log once a minute, however many there are', async () => {
    const lines = () => stage.log.filter(({ message }) => message.includes('not Slack’s'));
    const unsigned = () => fetch(new Request(`${publicUrl}/slack/events`, { method: 'POST', body: '{}' }));
    for (let count = 0; count < 100; count++) await unsigned();
    expect(lines().map(({ detail }) => detail)).toEqual([{ fault: 'unsigned', times: 1 }]);
    await stage.pass(60_000);
    await unsigned();
    expect(lines().at(-1)?.detail).toEqual({ fault: 'unsigned', times: 100 });
  });

  // Fact: Bolt’s HTTP receiver accepts a signed request twice (measured)
  test('when it is played again', async () => {
    const first = request();
    const again = first.clone();
    expect((await fetch(first)).status).toBe(200);
    expect((await fetch(again)).status).toBe(401);
  });

  test('when it is signed but makes no sense', async () => {
    const body = new URLSearchParams({ payload: '{' }).toString();
    const { slack } = stage;
    const signed = slack.http.request('slash_commands', { payload: '{' });
    expect(await signed.clone().text()).toBe(body);
    expect((await fetch(signed)).status).toBe(400);
  });

  // Only the log is told, and Slack may send it again; everything else goes on.
  test.each([{ text: 5 }, { authorizations: {} }])('when it is signed but %j is in it', async (odd) => {
    const { event, ...rest } = payload();
    const message = { ...(event as object), type: 'message', ...odd };
    const signed = stage.slack.http.request('events_api', { ...rest, event: message, ...odd });
    expect((await fetch(signed)).status).toBe(500);
    expect(stage.log.map(({ level }) => level)).toContain('error');
    expect((await fetch(request())).status).toBe(200);
  });

  test('when it is far too large', async () => {
    const huge = stage.slack.http.request('events_api', { x: 'x'.repeat(5 * 1024 ** 2) });
    expect((await fetch(huge)).status).toBe(413);
  });
});

test('Slack’s repetition of a request that failed, within its second and so with its signature, is heard', async () => {
  const { event, ...rest } = payload();
  const message = { ...(event as object), type: 'message', text: 5 };
  const first = stage.slack.http.request('events_api', { ...rest, event: message });
  const again = first.clone();
  expect((await fetch(first)).status).toBe(500);
  expect((await fetch(again)).status).toBe(500);
  expect(stage.log.filter(({ message: said }) => said.includes('not Slack’s'))).toEqual([]);
});

test('a request that is old but within five minutes is taken', async () => {
  expect((await fetch(request({ timestamp: seconds() - 299 }))).status).toBe(200);
});

test("Slack's question for the address is answered", async () => {
  const response = await fetch(
    stage.slack.http.request('events_api', { type: 'url_verification', challenge: 'c' }),
  );
  expect(await response.json()).toEqual({ challenge: 'c' });
});

test('Slack’s check of the certificate is answered without a signature, and nothing it says is heard', async () => {
  const body = new URLSearchParams({ ssl_check: '1', payload: JSON.stringify(payload()) });
  const response = await fetch(new Request(`${publicUrl}/slack/events`, { method: 'POST', body }));
  expect(response.status).toBe(200);
  await stage.pass(5_000);
  expect(stage.posts(stage.general)).toEqual([]);
});

test('an event is acknowledged at once with an empty answer', async () => {
  const response = await fetch(request());
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

test('after the end requests are sent away, so that Slack tries again elsewhere', async () => {
  await stage.platform.stopReceiving();
  expect((await fetch(request())).status).toBe(503);
});

test('other paths and ways are not found', async () => {
  expect((await fetch(new Request(`${publicUrl}/slack/events`))).status).toBe(404);
  expect((await fetch(new Request(`${publicUrl}/slack/install`))).status).toBe(404);
});
