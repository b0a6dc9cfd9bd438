import { expect, test } from 'vitest';
import { Installations } from '../../../../src/platforms/slack/setup/installations.ts';
import { botScopes, warnOfMissingScopes } from '../../../../src/platforms/slack/setup/manifest.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

const warnings = (stage: Stage) =>
  stage.log.filter(({ level, message }) => level === 'warn' && message.includes('lack'));

test('a start says which scopes the token lacks, what for, and what to paste where', async () => {
  const stage = await startStage({ withoutScopes: ['files:write', 'usergroups:read'] });
  expect(warnings(stage)).toEqual([
    {
      level: 'warn',
      detail: {
        missing: [
          'files:write (to post clips, images and videos)',
          'usergroups:read (to know who is in a group that /settings limits a command to)',
        ],
      },
      message:
        'SLACK_BOT_TOKEN lacks scopes: paste what npm run slack:manifest prints at https://api.slack.com/apps, page App Manifest, and install the app again on the page Install App',
    },
  ]);
});

test('one scope that is missing is told, too, and none where Slack names no scopes', async () => {
  const [missing] = warnings(await startStage({ withoutScopes: ['files:write'] }));
  expect(JSON.stringify(missing?.detail)).toContain('files:write');
  const told: string[] = [];
  const note = (_: object, message: string) => void told.push(message);
  warnOfMissingScopes({ ok: true }, { debug: note, info: note, warn: note, error: note });
  expect(told).toEqual([]);
});

test('a start with all scopes says nothing of them', async () => {
  expect(warnings(await startStage({}))).toEqual([]);
});

test('a start says where the app was installed before it asked for all scopes', async () => {
  const stage = await startStage({ mode: 'oauth' });
  expect(warnings(stage)).toEqual([]);
  const installations = new Installations(
    openKeyv(stage.database, 'slack', () => stage.clock.now()),
    stage.vault,
  );
  const install = (id: string, scopes: readonly string[]) =>
    installations.save({
      token: `xoxb-${id}`,
      botUser: 'U1',
      team: { id, name: id },
      scopes,
      installedBy: 'U2',
      installedAt: 0,
    });
  const all = Object.keys(botScopes);
  await install('T1', all);
  await install('T2', all.slice(1));
  await install('T3', []);
  await stage.restart();
  expect(warnings(stage)).toEqual([
    {
      level: 'warn',
      detail: {
        installations: 2,
        where: [
          { workspace: 'T2', missing: ['app_mentions:read (to see when it is mentioned)'] },
          { workspace: 'T3', missing: expect.arrayContaining(['commands (to receive commands)']) },
        ],
      },
      message: expect.stringContaining('have it installed there again at /slack/install'),
    },
  ]);
});

test('who asks for a form that needs a scope that’s missing is told which', async () => {
  const stage = await startStage({ withoutScopes: ['files:read'] });
  await stage.done(stage.ada.types('/imagine', stage.general));
  await stage.until(() => stage.whispers().length > 0);
  expect(stage.whispers()).toEqual([words('en').errors.noPermission('files:read')]);
});

test('a step in a channel that can’t be looked at fails with the scope that’s missing', async () => {
  const stage = await startStage({ withoutScopes: ['channels:read'] });
  const { execution } = stage.ada.runs('ask', { prompt: 'hello', channel: stage.general.id });
  await stage.until(() => execution.state !== 'running');
  expect(execution).toMatchObject({
    state: 'failed',
    error: words('en').errors.noPermission('channels:read'),
  });
});
