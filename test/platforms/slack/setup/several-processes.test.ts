import { beforeEach, expect, test } from 'vitest';
import type { FakePerson, Workspace } from '../../../fakes/slack/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let workspace: Workspace;
let zoe: FakePerson;
beforeEach(async () => {
  stage = await startStage({ mode: 'oauth', twice: true });
  workspace = stage.slack.addWorkspace('zebra');
  zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
});

/** A browser’s request to one of the processes. */
function get(to: 0 | 1, url: string, headers: Record<string, string> = {}): Promise<Response> {
  stage.to = to;
  return stage.get(url, headers);
}

/** The way back from Slack, and the browser’s cookie, where one of them was asked to install the app. */
async function begin(at: 0 | 1) {
  stage.to = at;
  const { link, cookie } = await stage.followInstallLink();
  return { back: stage.slack.oauth.approve(link, zoe.user), cookie };
}

async function install(at: 0 | 1): Promise<void> {
  stage.to = at;
  expect((await stage.install(zoe)).status).toBe(200);
}

async function isAnswered(by: 0 | 1): Promise<void> {
  stage.to = by;
  const channel = stage.slack.channel(workspace, `c${stage.slack.world.ts()}`, [zoe]);
  const { message } = zoe.says(`${zoe.bot} hello`, channel);
  await stage.until(() => stage.posts(channel, message.ts).length > 0);
}

test('an installation begun at one process is finished at the other, and serves both at once', async () => {
  const { back, cookie } = await begin(0);
  expect((await get(1, back, { cookie })).status).toBe(200);
  await isAnswered(0);
  await isAnswered(1);
});

test('the clock of the machine where it’s finished may be behind', async () => {
  const { back, cookie } = await begin(0);
  stage.clock.step(-20_000);
  expect((await get(1, back, { cookie })).status).toBe(200);
});

test('the same way back is taken once, whichever processes get it', async () => {
  const { back, cookie } = await begin(0);
  const responses = [await get(0, back, { cookie }), await stage.done(get(1, back, { cookie }))];
  expect(responses.map(({ status }) => status)).toEqual([200, 400]);
  expect(await responses[1]?.text()).toContain('This link has expired');
  expect(stage.slack.api.of('oauth.v2.access')).toHaveLength(1);
});

test('what one process hears of a removal ends it for both, and installed again it’s back in both', async () => {
  await install(0);
  await isAnswered(0);
  await isAnswered(1);
  stage.to = 0;
  for (const { done } of stage.slack.uninstall(workspace)) expect(await done).toMatchObject({ ok: true });
  await stage.quiet();
  await install(1);
  await isAnswered(0);
  await isAnswered(1);
});
