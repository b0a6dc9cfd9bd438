import { expect, test } from 'vitest';
import { Access } from '../../../src/platforms/slack/access.ts';
import { type Installation, Installations } from '../../../src/platforms/slack/installations.ts';
import { type Database, keysIn, openDatabase, openKeyv } from '../../../src/store/index.ts';
import { Vault } from '../../../src/vault.ts';

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
  database = await openDatabase('sqlite::memory:');
  const installations = new Installations(openKeyv(database, 'slack'), vault);
  await Promise.all(teams.map((team) => installations.save(installationIn(team))));
  return installations;
}

test('an installation in a workspace that is not named any more is served no longer', async () => {
  const access = new Access(await installedIn('T1', 'T2'), undefined, ['T1']);
  expect(await access.find({ team: 'T1' })).toMatchObject({ token: 'xoxb-T1' });
  expect(await access.find({ team: 'T2' })).toBeUndefined();
  await expect(access.token('T2')).rejects.toMatchObject({ kind: 'unreachable' });
});

test('the token of the settings is of no use where its workspace is not named, and readiness says so', async () => {
  const whoAmI = async () => ({ ok: true, user_id: 'B', team_id: 'T3' }) as never;
  const access = new Access(await installedIn(), 'xoxb-own', ['T1']);
  await access.check(whoAmI);
  expect(access.fault).toBe('ALLOWED_TEAMS does not name T3, the workspace of SLACK_BOT_TOKEN');
  expect(await access.find({ team: 'T3' })).toBeUndefined();
  // Somebody of a named workspace in a shared channel: it is the installation's workspace that counts.
  expect(await access.find({ team: 'T1' })).toBeUndefined();
  const named = new Access(await installedIn(), 'xoxb-own', ['T3']);
  await named.check(whoAmI);
  expect(named.fault).toBeUndefined();
  expect(await named.find({ team: 'T1' })).toMatchObject({ token: 'xoxb-own', workspace: 'T3' });
});

test('who installed the app is known as long as it is installed', async () => {
  const installations = await installedIn('T1', 'T2', 'T3');
  await installations.save({ ...installationIn('T2'), installedBy: 'U9' });
  await installations.remove(installationIn('T3'));
  expect(await installations.installers(await keysIn(database, 'slack', 'installation '))).toEqual([
    { workspace: 'T1', person: 'UT1' },
    { workspace: 'T2', person: 'U9' },
  ]);
});
