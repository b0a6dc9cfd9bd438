import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../commands/index.ts';
import { botScopes, slackManifest } from '../../src/platforms/slack/manifest.ts';
import { FakeSlack, type Json, type Workspace } from '../fakes/slack/index.ts';
import { findings, toMend, wordsOf } from './findings.ts';

let slack: FakeSlack;
let workspace: Workspace;
beforeEach(async () => {
  slack = await FakeSlack.start({ manifest: slackManifest(commands, { prefix: '' }) as unknown as Json });
  onTestFinished(() => slack.stop());
  workspace = slack.addWorkspace('acme');
});

const check = (settings: Record<string, string>) => findings({ SLACK_API_URL: slack.apiUrl, ...settings });
const socketMode = () => ({
  SLACK_BOT_TOKEN: slack.install(workspace).token,
  SLACK_APP_TOKEN: slack.credentials.appToken,
});
const installs = () => ({
  SLACK_CLIENT_ID: slack.credentials.clientId,
  SLACK_CLIENT_SECRET: slack.credentials.clientSecret,
  SLACK_STATE_SECRET: 'a state secret'.replaceAll(' ', '-'),
  SLACK_SIGNING_SECRET: slack.credentials.signingSecret,
});

describe('the doctor looks at Slack', () => {
  it('and finds Socket Mode well, posting nothing', async () => {
    const found = await check(socketMode());
    expect(toMend(found)).toEqual([]);
    expect(found.get('Slack')?.found).toBe('SLACK_BOT_TOKEN is that of the workspace acme');
    expect(found.get('Slack scopes')?.found).toBe('all that the manifest asks for');
    expect(found.get('Slack Socket Mode')?.found).toBe('SLACK_APP_TOKEN opens connections');
    expect(slack.api.calls.map(({ method }) => method).sort()).toEqual([
      'apps.connections.open',
      'auth.test',
    ]);
  });

  it('and finds HTTP mode with installs well, installing nothing', async () => {
    const found = await check(installs());
    expect(toMend(found)).toEqual([]);
    expect(found.get('Slack HTTP mode')?.found).toContain('/slack/events');
    expect(found.get('Slack installs')?.found).toContain('/slack/install');
    expect(slack.world.installations.size).toBe(0);
  });

  it('and names the scopes that are missing, with what they are for', async () => {
    const scopes = Object.keys(botScopes).filter((scope) => !['files:write', 'im:write'].includes(scope));
    const { token } = slack.install(workspace, scopes);
    expect(toMend(await check({ ...socketMode(), SLACK_BOT_TOKEN: token }))).toEqual([
      {
        subject: 'Slack scopes',
        found:
          'missing: files:write (to post clips, images and videos), im:write (to tell somebody what could not be posted where they asked for it)',
        mend: expect.stringContaining('npm run slack:manifest'),
      },
    ]);
  });

  it('and says which token or secret is refused, and where the right one is', async () => {
    const tokens = { SLACK_BOT_TOKEN: 'xoxb-secret', SLACK_APP_TOKEN: 'xapp-secret' };
    const found = await check({ ...installs(), ...tokens, SLACK_CLIENT_SECRET: 'secret' });
    expect(toMend(found)).toEqual([
      {
        subject: 'Slack',
        found: 'Slack refuses SLACK_BOT_TOKEN (invalid_auth)',
        mend: expect.stringContaining('page Install App'),
      },
      {
        subject: 'Slack Socket Mode',
        found: 'Slack refuses SLACK_APP_TOKEN (invalid_auth)',
        mend: expect.stringContaining('connections:write'),
      },
      {
        subject: 'Slack installs',
        found: 'Slack refuses SLACK_CLIENT_ID and SLACK_CLIENT_SECRET (bad_client_secret)',
        mend: expect.stringContaining('page Basic Information'),
      },
    ]);
    expect(wordsOf(found)).not.toContain('-secret');
    expect(found.get('Slack')?.found).not.toContain('xoxb');
  });

  it('and knows an app that was taken out', async () => {
    const settings = socketMode();
    slack.uninstall(workspace);
    expect(toMend(await check(settings))).toMatchObject([
      { found: 'Slack refuses SLACK_BOT_TOKEN (account_inactive)', mend: expect.stringMatching(/^install/) },
    ]);
  });

  it.each([
    ['too many requests', { kind: 'too-many', seconds: 7 }, 'Slack is asked too often'],
    ['a broken server', { kind: 'status', status: 502, when: 'before' }, 'Slack cannot be reached'],
    ['a cut connection', { kind: 'cut', when: 'before' }, 'Slack cannot be reached'],
  ] as const)('and tells of %s', async (_, fault, found) => {
    slack.api.faults.plan('auth.test', fault, 10);
    expect(toMend(await check(socketMode()))).toMatchObject([
      { subject: 'Slack', found: expect.stringContaining(found) },
    ]);
  });

  it('and knows an address where nobody is', async () => {
    const settings = socketMode();
    await slack.stop();
    expect(toMend(await check(settings))).toHaveLength(2);
  });
});
