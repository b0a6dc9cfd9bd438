import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DeletedMessages } from '../../../../src/port/index.ts';
import { Vault } from '../../../../src/secrets/vault.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import type { FakePerson, Workspace } from '../../../fakes/slack/index.ts';
import { publicUrl, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;
let workspace: Workspace;
let zoe: FakePerson;
beforeEach(async () => {
  stage = await startStage({ mode: 'oauth' });
  workspace = stage.slack.addWorkspace('zebra', 'E0ZEBRA');
  zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
});

const get: Stage['get'] = (...given) => stage.get(...given);
const begin = () => stage.followInstallLink();
const install = (person = zoe, organization = false) => stage.install(person, organization);

/** A post that no event caused, like a finished render. */
function posting(where: Workspace, person: FakePerson): Promise<unknown> {
  const channel = stage.slack.channel(where, `c${stage.slack.world.ts()}`, [person]);
  const address = { platform: 'slack', workspace: where.id, channel: channel.id } as const;
  return stage.platform.adapter.post(address, { text: 'x' }, 'k');
}

async function isAnswered(person: FakePerson, where: Workspace): Promise<void> {
  const channel = stage.slack.channel(where, `c${stage.slack.world.ts()}`, [person]);
  const { message } = person.says(`${person.bot} hello`, channel);
  await stage.until(() => stage.posts(channel, message.ts).length > 0);
}

test('the link asks for exactly the scopes of the manifest', async () => {
  const { response, link } = await begin();
  expect(response.status).toBe(302);
  const scopes = new URL(link).searchParams.get('scope')?.split(',').sort();
  expect(scopes).toEqual([...stage.slack.world.settings.scopes].sort());
});

test('an installed workspace is served with its own token, another not at all', async () => {
  expect((await install()).status).toBe(200);
  await isAnswered(zoe, workspace);
  const tokens = new Set(stage.slack.api.of('chat.postMessage').map(({ token }) => token));
  expect([...tokens].map((token) => stage.slack.world.installations.get(token)?.teamId)).toEqual([
    workspace.id,
  ]);
  const { ada, general } = stage;
  ada.says(`${ada.bot} hello`, general);
  await stage.pass(10_000);
  expect(stage.posts(general)).toEqual([]);
});

test('the page at the end says what is next, in the browser’s language, and leads back into Slack', async () => {
  const { link, cookie } = await begin();
  const response = await get(stage.slack.oauth.approve(link, zoe.user), {
    cookie,
    'accept-language': 'zh-CN',
  });
  const page = await response.text();
  expect(page).toContain('<html lang="zh-CN">');
  expect(page).toContain('<h1>troupe 已安装到 zebra</h1>');
  expect(page).toContain(`href="https://app.slack.com/client/${workspace.id}"`);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const failed = await get(`${publicUrl}/slack/install/callback?code=x&state=y`);
  expect(await failed.text()).toContain('href="/slack/install"');
});

test('the browser’s cookie is for this way alone, no script reads it, and at the end it is gone', async () => {
  const rulesOf = (response: Response) => {
    const [cookie, ...rules] = (response.headers.get('set-cookie') ?? '').split('; ');
    return { cookie, rules: rules.toSorted() };
  };
  const rules = ['HttpOnly', 'Path=/slack/install', 'SameSite=Lax', 'Secure'];
  const { response: begun, link, cookie } = await begin();
  expect(begun.headers.get('cache-control')).toBe('no-store');
  expect(rulesOf(begun).rules).toEqual(['HttpOnly', 'Max-Age=600', ...rules.slice(1)]);
  const behindProxy = await get('http://localhost/slack/install', { 'x-forwarded-proto': 'https' });
  expect(rulesOf(behindProxy).rules).toContain('Secure');
  expect(rulesOf(await get('http://localhost/slack/install')).rules).not.toContain('Secure');
  const cleared = { cookie: 'troupe_slack_install=', rules: ['HttpOnly', 'Max-Age=0', ...rules.slice(1)] };
  const done = await get(stage.slack.oauth.approve(link, zoe.user), { cookie: `other=1; ${cookie}` });
  expect([done.status, rulesOf(done)]).toEqual([200, cleared]);
  expect(rulesOf(await get(`${publicUrl}/slack/install/callback`))).toEqual(cleared);
});

test('a workspace’s name is only words on the page at the end', async () => {
  workspace = stage.slack.addWorkspace('<i>"&\'', 'E0ZEBRA');
  zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
  const page = await (await install()).text();
  expect(page).not.toContain('<i>');
  expect(page).not.toContain(`"&'`);
});

/** What the database holds of installations. */
const stored = async () => {
  const rows = await stage.database
    .selectFrom('keyv')
    .selectAll()
    .where('key', 'like', '%installation %')
    .execute();
  return rows.map(({ value }) => value).join();
};
const token = () =>
  [...stage.slack.world.installations].find(([, { teamId }]) => teamId === workspace.id)?.[0] ?? '';

test('a token is in the database only sealed, and one of a former version is sealed at the next start', async () => {
  await install();
  expect(token()).toMatch(/^xoxb-/);
  expect(await stored()).not.toContain(token());
  expect(await stored()).toContain('zebra');

  await stage.kill();
  const memory = openKeyv(stage.database, 'slack');
  const key = `installation team ${workspace.id}`;
  await memory.set(key, { ...(await memory.get<object>(key)), token: token() });
  expect(await stored()).toContain(token());
  await stage.startBot();
  expect(await stored()).not.toContain(token());
  await isAnswered(zoe, workspace);
});

test('a token that a former version left open is nowhere in the file once it is sealed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-tokens-'));
  const file = join(folder, 'troupe.db');
  try {
    stage = await startStage({ mode: 'oauth', databaseUrl: `sqlite:${file}` });
    await stage.kill();
    const memory = openKeyv(stage.database, 'slack');
    for (const id of ['T1', 'T2', 'T3', 'T4', 'T5'])
      await memory.set(`installation team ${id}`, {
        token: `xoxb-left-open-${id}`,
        botUser: 'U1',
        team: { id, name: id },
        scopes: [],
        installedBy: 'U2',
        installedAt: 0,
      });
    await stage.startBot();
    await sql`pragma wal_checkpoint(truncate)`.execute(stage.database);
    const content = await readFile(file, 'latin1');
    expect(content.includes('installation team T5')).toBe(true);
    expect(content.includes('xoxb-left-open')).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('with another key it does not start, says what to do, and changes nothing', async () => {
  await install();
  await stage.kill();
  const before = await stored();
  const { vault } = stage;
  stage.vault = new Vault({ secret: 'another secret of thirty-two letters', file: undefined });
  await expect(stage.startBot()).rejects.toThrow(/^ENCRYPTION_KEY: .*another key; set that key/);
  expect(await stored()).toBe(before);
  stage.vault = vault;
  await stage.startBot();
  await isAnswered(zoe, workspace);
});

test('without its key file it does not start, says that the file is gone, and makes no new one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-keys-'));
  const file = join(folder, 'troupe.db.key');
  try {
    await stage.kill();
    stage.vault = new Vault({ secret: undefined, file });
    await stage.startBot();
    await install();
    await stage.kill();
    const [before, key] = [await stored(), await readFile(file)];
    await rm(file);
    stage.vault = new Vault({ secret: undefined, file });
    await expect(stage.startBot()).rejects.toThrow(
      /key that is gone: its key file .* isn't there; put it back/,
    );
    expect([await stored(), await readdir(folder)]).toEqual([before, []]);
    await writeFile(file, key);
    stage.vault = new Vault({ secret: undefined, file });
    await stage.startBot();
    await isAnswered(zoe, workspace);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an installation is there after a restart', async () => {
  await install();
  await stage.restart();
  await isAnswered(zoe, workspace);
});

test('an organization is served in each of its workspaces, after a restart too', async () => {
  expect((await install(zoe, true)).status).toBe(200);
  await isAnswered(zoe, workspace);
  const sister = stage.slack.addWorkspace('yak', 'E0ZEBRA');
  const yan = stage.slack.person(sister, { name: 'yan' });
  await isAnswered(yan, sister);
  await stage.restart();
  const channel = [...sister.channels.values()][0];
  if (!channel) throw new Error('no channel');
  const address = { platform: 'slack', workspace: sister.id, channel: channel.id } as const;
  const done = stage.platform.adapter.post(address, { text: 'from a render' }, 'k');
  await stage.until(() => stage.texts(channel).includes('from a render'));
  await done;
  // Commands, forms and buttons come without a team there.
  await stage.openForm(yan, '/imagine', channel);
});

describe('an installation is refused', () => {
  const back = async (change: (url: URL) => void, cookie?: string) => {
    const begun = await begin();
    const url = new URL(stage.slack.oauth.approve(begun.link, zoe.user));
    change(url);
    return get(url.href, { cookie: cookie ?? begun.cookie });
  };

  test.each([
    ['with another state', (url: URL) => url.searchParams.set('state', 'x.y.z'), undefined],
    ['without a state', (url: URL) => url.searchParams.delete('state'), undefined],
    ['in another browser', () => {}, 'troupe_slack_install=other'],
    ['without a cookie', () => {}, ''],
  ])('%s', async (_, change, cookie) => {
    const response = await back(change, cookie);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('This link has expired');
    expect(stage.slack.api.of('oauth.v2.access')).toEqual([]);
  });

  test('after ten minutes', async () => {
    const { link, cookie } = await begin();
    await stage.clock.advance(600_001);
    expect((await get(stage.slack.oauth.approve(link, zoe.user), { cookie })).status).toBe(400);
  });

  test('when the same way back is taken twice', async () => {
    const { link, cookie } = await begin();
    const url = stage.slack.oauth.approve(link, zoe.user);
    expect((await get(url, { cookie })).status).toBe(200);
    expect((await get(url, { cookie })).status).toBe(400);
  });

  test('with a code that Slack does not know', async () => {
    const response = await back((url) => url.searchParams.set('code', '<script>'));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Slack didn’t accept the authorization code');
  });

  test('when the person cancels, in their language', async () => {
    const { link, cookie } = await begin();
    const state = new URL(link).searchParams.get('state');
    const url = `${publicUrl}/slack/install/callback?error=access_denied&state=${state}`;
    const response = await get(url, { cookie, 'accept-language': 'zh-CN,zh;q=0.9' });
    expect(await response.text()).toContain('你在 Slack 中取消了安装');
  });
});

test('taken out of a workspace, it forgets the messages of its threads, also where what’s under way there can’t be stopped now', async () => {
  stage = await startStage({ mode: 'oauth', deleted: () => Promise.reject(new Error('away')) });
  workspace = stage.slack.addWorkspace('zebra');
  zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
  await install();
  const channel = stage.slack.channel(workspace, 'talk', [zoe]);
  const root = zoe.says('one', channel).message.ts;
  for (const text of ['two', 'three']) zoe.says(text, channel, { thread: root });
  await stage.quiet();
  const kept = () =>
    stage.database.selectFrom('keyv').select('key').where('key', 'like', 'slack-threads%').execute();
  expect(await kept()).toHaveLength(2);
  stage.slack.uninstall(workspace);
  await stage.pass(1_000);
  expect(await kept()).toEqual([]);
});

test('taken out of a workspace, it buys nothing more there, and results wait for it', async () => {
  const deleted: DeletedMessages[] = [];
  stage = await startStage({ mode: 'oauth', deleted: async (one) => void deleted.push(one) });
  workspace = stage.slack.addWorkspace('zebra');
  zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
  await install();
  for (const { done } of stage.slack.uninstall(workspace)) await done;
  await stage.quiet();
  const place = { workspace: workspace.id };
  // Either of both events may be the first that finds the token refused.
  expect(deleted[0]).toEqual({ platform: 'slack', messages: [], place, isWaitedFor: true });
});

test('taken out of a workspace while its process died, it buys nothing more there once Slack says that it’s out', async () => {
  const deleted: DeletedMessages[] = [];
  stage = await startStage({
    mode: 'oauth',
    deleted: async (one) => void deleted.push(one),
    places: { leftUnderWay: async () => ['T0GONE'] },
  });
  zoe = stage.slack.person(stage.slack.addWorkspace('zebra', 'E0ZEBRA'), { name: 'zoe', admin: true });
  await install(zoe, true);
  stage.slack.api.faults.plan('auth.teams.list', { kind: 'status', status: 503, when: 'before' }, 2);
  await stage.done(stage.platform.caughtUp!());
  expect(deleted.map(({ place }) => place)).toEqual([{ workspace: 'T0GONE' }]);
  // Said once, however often it's asked: what's under way there goes on until then.
  const warned = stage.log.filter(({ message }) => message.includes('still in a workspace'));
  expect(warned.map(({ level }) => level)).toEqual(['warn']);
});

test('taken out of an organization, it buys nothing more in its workspaces but those that have it by themselves', async () => {
  const deleted: DeletedMessages[] = [];
  stage = await startStage({ mode: 'oauth', deleted: async (one) => void deleted.push(one) });
  const [zebra, yak, xerus] = ['zebra', 'yak', 'xerus'].map((name) =>
    stage.slack.addWorkspace(name, 'E0ZEBRA'),
  ) as [Workspace, Workspace, Workspace];
  workspace = zebra;
  const [zoe1, yan, xena] = [zebra, yak, xerus].map((one) =>
    stage.slack.person(one, { name: 'boss', admin: true }),
  ) as [FakePerson, FakePerson, FakePerson];
  zoe = zoe1;
  await install(zoe, true);
  await install(xena);
  for (const [person, place] of [
    [zoe, zebra],
    [yan, yak],
    [xena, xerus],
  ] as const)
    await isAnswered(person, place);
  for (const { done } of stage.slack.uninstall(zebra, { organization: true })) await done;
  await stage.quiet();
  const left = new Set(deleted.map(({ place }) => place?.workspace));
  expect(left).toEqual(new Set([zebra.id, yak.id]));
});

test('taken out of a workspace, its token is forgotten, and installing again brings it back', async () => {
  await install();
  await isAnswered(zoe, workspace);
  for (const delivery of stage.slack.uninstall(workspace)) {
    expect(await delivery.done).toMatchObject({ ok: true });
  }
  await stage.quiet();
  const channel = stage.slack.channel(workspace, 'later', [zoe]);
  const address = { platform: 'slack', workspace: workspace.id, channel: channel.id } as const;
  await expect(stage.platform.adapter.post(address, { text: 'x' }, 'k')).rejects.toMatchObject({
    kind: 'unreachable',
  });
  expect((await install()).status).toBe(200);
  await isAnswered(zoe, workspace);
});

describe('in an organization', () => {
  let sister: Workspace;
  let yan: FakePerson;
  beforeEach(async () => {
    sister = stage.slack.addWorkspace('yak', 'E0ZEBRA');
    yan = stage.slack.person(sister, { name: 'yan' });
  });

  describe.each([
    ['in order', { backwards: false }],
    ['the other way round', { backwards: true }],
  ])('both events come, %s,', (_, order) => {
    test.each([
      ['and name what they are about', { unnamed: false }],
      ['and name nothing', { unnamed: true }],
    ])("%s: a workspace's own installation ends, and the organization's lives on", async (_, named) => {
      await install(zoe, true);
      await install(yan);
      for (const { done } of stage.slack.uninstall(sister, { ...order, ...named, organization: false })) {
        expect(await done).toMatchObject({ ok: true });
      }
      await stage.quiet();
      await isAnswered(zoe, workspace);
      await isAnswered(yan, sister);
      const tokens = stage.slack.api.of('chat.postMessage').map(({ token }) => token);
      const last = stage.slack.world.installations.get(tokens.at(-1) ?? '');
      expect(last).toMatchObject({ enterpriseId: 'E0ZEBRA', state: 'active' });
    });

    test.each([
      ['and name what they are about', { unnamed: false }],
      ['and name nothing', { unnamed: true }],
    ])("%s: the organization's installation ends, and a workspace's own lives on", async (_, named) => {
      await install(zoe, true);
      await install(yan);
      for (const { done } of stage.slack.uninstall(workspace, { ...order, ...named, organization: true })) {
        expect(await done).toMatchObject({ ok: true });
      }
      await stage.quiet();
      await isAnswered(yan, sister);
      await expect(posting(workspace, zoe)).rejects.toMatchObject({ kind: 'unreachable' });
    });
  });

  test.each([
    ['alone', false],
    ['with the events of an uninstallation', true],
  ])('a workspace that leaves ends nothing for the others: %s', async (_, also) => {
    await install(zoe, true);
    await isAnswered(yan, sister);
    for (const { done } of stage.slack.leaveOrganization(sister, { also })) await done;
    await stage.quiet();
    await isAnswered(zoe, workspace);
    await expect(posting(sister, yan)).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

// Fact: `tokens_revoked` and `app_uninstalled` come in any order, even after a new installation (events)
test('events of an uninstallation that come after the app was installed again end nothing', async () => {
  await install();
  const [installed] = [...stage.slack.world.installations.values()].slice(-1);
  if (installed) installed.state = 'account_inactive';
  await install();
  const tokens = { oauth: [], bot: [workspace.botUser] };
  await stage.slack.sendEvent(workspace, { type: 'tokens_revoked', tokens }).done;
  await stage.slack.sendEvent(workspace, { type: 'app_uninstalled' }).done;
  await stage.pass(120_000);
  await isAnswered(zoe, workspace);
});

test('a token that Slack ends a little after it said so is forgotten, too', async () => {
  await install();
  const [installed] = [...stage.slack.world.installations.values()].slice(-1);
  await stage.slack.sendEvent(workspace, { type: 'app_uninstalled' }).done;
  await stage.pass(1_000);
  if (installed) installed.state = 'account_inactive';
  await stage.pass(60_000);
  await expect(posting(workspace, zoe)).rejects.toMatchObject({ kind: 'unreachable' });
});

test('an app that is removed and installed again within a minute has not left', async () => {
  const deleted: DeletedMessages[] = [];
  stage = await startStage({ mode: 'oauth', deleted: async (one) => void deleted.push(one) });
  workspace = stage.slack.addWorkspace('zebra', 'E0ZEBRA');
  zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
  await install();
  const [installed] = [...stage.slack.world.installations.values()].slice(-1);
  await stage.slack.sendEvent(workspace, { type: 'app_uninstalled' }).done;
  await stage.pass(1_000);
  if (installed) installed.state = 'account_inactive';
  await install();
  await stage.pass(60_000);
  expect(deleted).toEqual([]);
});

test('a browser that brings back codes Slack does not know writes a line a minute, however many it brings', async () => {
  const bring = async () => {
    const { link, cookie } = await begin();
    const state = new URL(link).searchParams.get('state') ?? '';
    const back = new URL(`${publicUrl}/slack/install/callback`);
    back.search = new URLSearchParams({ code: 'made-up', state }).toString();
    expect((await get(back.href, { cookie })).status).toBe(400);
  };
  const lines = () => stage.log.filter(({ message }) => message === 'an installation in Slack failed');
  for (let attempt = 0; attempt < 20; attempt++) await bring();
  expect(lines()).toHaveLength(1);
  await stage.pass(60_001);
  await bring();
  expect(lines()).toHaveLength(2);
  expect(lines()[1]?.detail).toEqual({ error: expect.stringContaining('invalid_code'), times: 20 });
});

test('no token is ever on the log or in a page', async () => {
  const page = await (await install()).text();
  await isAnswered(zoe, workspace);
  stage.slack.uninstall(workspace);
  await stage.pass(5_000);
  const said =
    JSON.stringify(stage.log, (_, value) => (value instanceof Error ? `${value.stack}` : value)) + page;
  for (const token of stage.slack.world.installations.keys()) expect(said).not.toContain(token);
  expect(said).not.toContain(stage.slack.credentials.clientSecret);
  expect(said).not.toContain(stage.slack.credentials.signingSecret);
});

test("when only people's own tokens are revoked the installation stays", async () => {
  await install();
  const tokens = { oauth: [zoe.user.id], bot: [] };
  await stage.slack.sendEvent(workspace, { type: 'tokens_revoked', tokens }).done;
  await isAnswered(zoe, workspace);
});

describe('where only some workspaces are served', () => {
  let other: Workspace;
  let yan: FakePerson;
  beforeEach(async () => {
    stage = await startStage({ mode: 'oauth', allowedTeams: () => ['E0ZEBRA'] });
    workspace = stage.slack.addWorkspace('zebra', 'E0ZEBRA');
    zoe = stage.slack.person(workspace, { name: 'zoe', admin: true });
    other = stage.slack.addWorkspace('other');
    yan = stage.slack.person(other, { name: 'yan', admin: true });
  });

  test('another is not installed, and a page says why', async () => {
    const response = await install(yan);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('This bot only works in certain workspaces');
    await expect(posting(other, yan)).rejects.toMatchObject({ kind: 'unreachable' });
    expect((await install(zoe, true)).status).toBe(200);
    await isAnswered(zoe, workspace);
  });
});
