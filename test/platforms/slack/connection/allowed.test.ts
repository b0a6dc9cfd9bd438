import { expect, test } from 'vitest';
import {
  type Installation,
  Installations,
  type InstallationScope,
} from '../../../../src/platforms/slack/setup/installations.ts';
import { WorkspaceAccess } from '../../../../src/platforms/slack/setup/workspace-access.ts';
import { Vault } from '../../../../src/secrets/vault.ts';
import { type Database, openKeyv } from '../../../../src/store/index.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { startStage } from '../support/stage.ts';

const installationIn = (team: string): Installation => ({
  token: `xoxb-${team}`,
  botUser: 'B',
  team: { id: team, name: team },
  scopes: [],
  installedBy: `U${team}`,
  installedAt: 0,
});

const vault = new Vault({ secret: 'a secret of thirty-two characters', file: undefined });
let database: Database;
async function installedIn(...teams: readonly string[]): Promise<Installations> {
  database = await openMigrated();
  const installations = new Installations(openKeyv(database, 'slack'), vault);
  await Promise.all(teams.map((team) => installations.save(installationIn(team))));
  return installations;
}

test('an installation in a workspace that is not named any more is served no longer', async () => {
  const access = new WorkspaceAccess(await installedIn('T1', 'T2'), undefined, ['T1']);
  expect(await access.find({ team: 'T1' })).toMatchObject({ token: 'xoxb-T1' });
  expect(await access.find({ team: 'T2' })).toBeUndefined();
  expect(await access.token('T2')).toBeUndefined();
});

test('the token of the settings is of no use where its workspace is not named, and readiness says so', async () => {
  const whoAmI = async () => ({ ok: true, user_id: 'B', team_id: 'T3' }) as never;
  const access = new WorkspaceAccess(await installedIn(), 'xoxb-own', ['T1']);
  await access.check(whoAmI);
  expect(access.fault).toBe('ALLOWED_TEAMS does not name T3, the workspace of SLACK_BOT_TOKEN');
  expect(await access.find({ team: 'T3' })).toBeUndefined();
  // Somebody of a named workspace in a shared channel: it is the installation's workspace that counts.
  expect(await access.find({ team: 'T1' })).toBeUndefined();
  const named = new WorkspaceAccess(await installedIn(), 'xoxb-own', ['T3']);
  await named.check(whoAmI);
  expect(named.fault).toBeUndefined();
  expect(await named.find({ team: 'T1' })).toMatchObject({ token: 'xoxb-own', workspace: 'T3' });
});

test('naming an organization allows the token of one of its workspaces', async () => {
  const access = new WorkspaceAccess(await installedIn(), 'xoxb-own', ['E1']);
  await access.check(async () => ({ ok: true, user_id: 'B', team_id: 'T3', enterprise_id: 'E1' }) as never);
  expect(access.fault).toBeUndefined();
  expect(await access.find({ team: 'T3' })).toMatchObject({ token: 'xoxb-own', workspace: 'T3' });
});

test.each<[string[], InstallationScope, boolean]>([
  [['T1'], { team: 'T1' }, true],
  [['T1'], { team: 'T2' }, false],
  [['T1'], { team: 'T2', enterprise: 'E1' }, false],
  [['T1'], { enterprise: 'E1' }, false],
  [['E1'], { team: 'T2' }, true],
  [['E1'], { enterprise: 'E1' }, true],
  [['E2'], { team: 'T1', enterprise: 'E1' }, false],
])(
  "an organization's token in the settings, with %o named, serves %o: %o",
  async (allowed, where, served) => {
    const me = { ok: true, user_id: 'B', team_id: 'E1', enterprise_id: 'E1', is_enterprise_install: true };
    const access = new WorkspaceAccess(await installedIn(), 'xoxb-own', allowed);
    const workspace = where.team ?? where.enterprise ?? '';
    // What is still to be posted goes out before Slack has said whose token it is.
    expect(await access.token(workspace)).toBe('xoxb-own');
    await access.check(async () => me as never);
    expect((await access.find(where)) !== undefined).toBe(served);
    expect(await access.token(workspace)).toBe(served ? 'xoxb-own' : undefined);
  },
);

test('who installed the app is known as long as it is installed', async () => {
  const installations = await installedIn('T1', 'T2', 'T3');
  await installations.save({ ...installationIn('T2'), installedBy: 'U9' });
  await installations.remove(installationIn('T3'));
  expect(await installations.installers()).toEqual([
    { workspace: 'T1', person: 'UT1' },
    { workspace: 'T2', person: 'U9' },
  ]);
});

test('a damaged token takes its own workspace alone, until the app is installed there again', async () => {
  const installations = await installedIn('T1', 'T2');
  const memory = openKeyv(database, 'slack');
  const key = 'installation team T1';
  const kept = (await memory.get<Installation>(key)) as Installation;
  for (const token of [kept.token.slice(0, -9), `${kept.token.slice(0, -9)}AAAAAAAAA`, 'v1.']) {
    await memory.set(key, { ...kept, token });
    await installations.sealAll();
    expect(await installations.find({ team: 'T1' })).toBeUndefined();
    expect(await installations.find({ team: 'T2' })).toMatchObject({ token: 'xoxb-T2' });
    expect(await memory.get(key)).toMatchObject({ token });
  }
  await installations.save(installationIn('T1'));
  expect(await installations.find({ team: 'T1' })).toMatchObject({ token: 'xoxb-T1' });
});

test('what’s said in a workspace that isn’t named is a line a minute in the log, however much it is', async () => {
  const { ada, general, log, pass } = await startStage({
    mode: 'oauth',
    allowedTeams: () => ['T0OTHER'],
  });
  log.length = 0;
  for (let count = 0; count < 5; count++) ada.says(`hello ${count}`, general);
  await pass(61_000);
  ada.says('hello', general);
  await pass(1_000);
  expect(log).toMatchObject([
    { level: 'warn', detail: { times: 1 } },
    { level: 'warn', detail: { times: 5 } },
  ]);
});
