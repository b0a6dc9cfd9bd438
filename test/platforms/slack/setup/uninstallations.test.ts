import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Installations } from '../../../../src/platforms/slack/setup/installations.ts';
import { Uninstallations } from '../../../../src/platforms/slack/setup/workspace-access.ts';
import type { Place } from '../../../../src/port/index.ts';
import { Vault } from '../../../../src/secrets/vault.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { openMigrated } from '../../../fakes/database.ts';

it('what’s left is known of a workspace and of an organization’s though the process dies while it notes that', async () => {
  const database = await openMigrated();
  endsWithTest(() => database.destroy());
  const keyv = openKeyv(database, 'slack');
  const vault = new Vault({ secret: 'a secret of thirty-two characters', file: undefined });
  const installations = new Installations(keyv, vault);
  const common = { botUser: 'U', scopes: [], installedBy: 'U2', installedAt: 0 };
  await installations.save({ ...common, token: 'gone', team: { id: 'T1', name: 'one' } });
  await installations.save({ ...common, token: 'org', enterprise: { id: 'E1', name: 'org' } });
  await installations.find({ team: 'T2', enterprise: 'E1' });
  const missing: string[] = [];
  const uninstallations = new Uninstallations({
    installations,
    access: { own: undefined, noteLoss: () => {}, mayBeOwn: () => false },
    whoAmI: async (token) => {
      if (token === 'gone') throw new webApi.WebAPIPlatformError({ ok: false, error: 'account_inactive' });
      return { ok: true };
    },
    workspacesOf: async () => [],
    onLeft: async () => {},
    places: {
      left: () => Promise.reject(new Error('died')),
      isMissing: async ({ workspace }: Place) => void missing.push(workspace),
    },
    clock: new FakeClock(),
    log: pino({ level: 'silent' }),
  });
  await expect(uninstallations.removed({ team_id: 'T1' })).rejects.toThrow('died');
  await expect(uninstallations.leftTeams(['T2'])).rejects.toThrow('died');
  await uninstallations.look();
  expect(missing.toSorted()).toEqual(['T1', 'T2']);
});
