import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { slackFeatures } from '../../src/platforms/slack/api/errors.ts';
import { Installations } from '../../src/platforms/slack/setup/installations.ts';
import { botEvents, botScopes, slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { vaultOf } from '../../src/secrets/vault.ts';
import { createCapabilities, type Database, openDatabase, openKeyv } from '../../src/store/index.ts';
import { commands } from '../fakes/commands.ts';
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
    expect(found.get('Slack')?.found).toBe('SLACK_BOT_TOKEN belongs to the workspace acme.');
    expect(found.get('Slack scopes')?.found).toBe('The app has all scopes of the manifest.');
    expect(found.get('Slack Socket Mode')?.found).toBe('SLACK_APP_TOKEN opens connections.');
    expect(slack.api.calls.map(({ method }) => method).sort()).toEqual([
      'apps.connections.open',
      'auth.test',
      'bots.info',
    ]);
  });

  // Others' bots handle the events of one app as another one's (openclaw#889).
  it('and tells where its two tokens are of two apps', async () => {
    const installation = slack.install(workspace);
    installation.otherApp = 'A0OTHER';
    const found = await check({ ...socketMode(), SLACK_BOT_TOKEN: installation.token });
    expect(toMend(found)).toEqual([
      {
        subject: 'Slack tokens',
        found: expect.stringMatching(/SLACK_APP_TOKEN is of the app A0TROUPE0.*SLACK_BOT_TOKEN of A0OTHER/),
        mend: expect.stringContaining('of one app'),
      },
    ]);
  });

  it('and so where one of them is an organization’s', async () => {
    slack.addWorkspace('home', 'E0ORG');
    const installation = slack.world.install({ enterpriseId: 'E0ORG' });
    installation.otherApp = 'A0OTHER';
    const found = await check({ ...socketMode(), SLACK_BOT_TOKEN: installation.token });
    expect(found.get('Slack tokens')?.found).toContain('A0OTHER');
  });

  it.each([
    ['the app lacks users:read', ['commands'], undefined],
    ['the app-level token doesn’t name its app', undefined, 'xapp-secret'],
  ])('and says nothing of that where %s', async (_, scopes, appToken) => {
    const installation = slack.install(workspace, scopes);
    installation.otherApp = 'A0OTHER';
    const tokens = { SLACK_BOT_TOKEN: installation.token, ...(appToken && { SLACK_APP_TOKEN: appToken }) };
    expect((await check({ ...socketMode(), ...tokens })).has('Slack tokens')).toBe(false);
  });

  it('and finds HTTP mode with installs well, installing nothing', async () => {
    const found = await check(installs());
    expect(toMend(found)).toEqual([]);
    expect(found.get('Slack HTTP mode')?.found).toContain('/slack/events');
    expect(found.get('Slack installs')?.found).toContain('/slack/install');
    expect(found.get('Slack installations')?.found).toBe('Nobody has installed the app yet.');
    expect(slack.world.installations.size).toBe(0);
  });

  it('and names the scopes that are missing, with what they are for', async () => {
    const scopes = Object.keys(botScopes).filter((scope) => !['files:write', 'im:write'].includes(scope));
    const { token } = slack.install(workspace, scopes);
    expect(toMend(await check({ ...socketMode(), SLACK_BOT_TOKEN: token }))).toEqual([
      {
        subject: 'Slack scopes',
        found:
          'These are missing: files:write (to post clips, images and videos), im:write (to send people directly what could not be posted in a channel).',
        mend: expect.stringContaining('npm run slack:manifest'),
      },
    ]);
  });

  it('and says which token or secret is refused, and where to find the right one', async () => {
    const tokens = { SLACK_BOT_TOKEN: 'xoxb-secret', SLACK_APP_TOKEN: 'xapp-secret' };
    const found = await check({ ...installs(), ...tokens, SLACK_CLIENT_SECRET: 'secret' });
    expect(toMend(found)).toEqual([
      {
        subject: 'Slack',
        found: 'Slack refuses SLACK_BOT_TOKEN (invalid_auth).',
        mend: expect.stringContaining('page Install App'),
      },
      {
        subject: 'Slack Socket Mode',
        found: 'Slack refuses SLACK_APP_TOKEN (invalid_auth).',
        mend: expect.stringContaining('connections:write'),
      },
      {
        subject: 'Slack installs',
        found: 'Slack refuses SLACK_CLIENT_ID and SLACK_CLIENT_SECRET (bad_client_secret).',
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
      { found: 'Slack refuses SLACK_BOT_TOKEN (account_inactive).', mend: expect.stringMatching(/^install/) },
    ]);
  });

  it.each([
    [
      'too many requests',
      { kind: 'too-many', seconds: 7 },
      'Slack is limiting the app’s requests right now.',
    ],
    ['a broken server', { kind: 'status', status: 502, when: 'before' }, 'Slack can’t be reached'],
    ['a cut connection', { kind: 'cut', when: 'before' }, 'Slack can’t be reached'],
  ] as const)('and tells of %s', async (_, fault, found) => {
    slack.api.faults.plan('auth.test', fault, 10);
    expect(toMend(await check(socketMode()))).toMatchObject([
      { subject: 'Slack', found: expect.stringContaining(found) },
    ]);
  });

  it('and recognizes an unreachable address', async () => {
    const settings = socketMode();
    await slack.stop();
    const found = 'Slack can’t be reached (ECONNREFUSED), or has trouble itself.';
    expect(toMend(await check(settings))).toMatchObject([{ found }, { found }]);
  });
});

describe('the doctor looks at what the bot keeps of Slack', () => {
  let url: string;
  let database: Database;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    url = `sqlite:${join(folder, 'troupe.db')}`;
    database = await openDatabase(url);
    onTestFinished(() => database.destroy());
  });

  const all = Object.keys(botScopes);
  /** Installs the app in a new workspace; Slack grants `scopes`, and `kept` is what is on record. */
  const installed = async (name: string, scopes: readonly string[], kept = scopes): Promise<Workspace> => {
    const there = slack.addWorkspace(name);
    const { token } = slack.install(there, scopes);
    await new Installations(openKeyv(database, 'slack'), vaultOf(url, undefined)).save({
      token,
      botUser: there.botUser,
      team: { id: there.id, name },
      scopes: kept,
      installedBy: 'U2',
      installedAt: 0,
    });
    return there;
  };
  const look = (more: Record<string, string> = {}) => check({ ...installs(), DATABASE_URL: url, ...more });
  const reinstall =
    "paste what npm run slack:manifest prints at https://api.slack.com/apps, page App Manifest, and have it installed there again at /slack/install of this bot's address";

  it('and names the scopes each workspace has not granted, and how it comes to', async () => {
    await installed('whole', all);
    // Installed anew elsewhere since: Slack knows better than the record.
    await installed('mended', all, all.slice(1));
    const { id } = await installed('old', all.slice(2));
    const found = await look();
    expect(found.get('Slack installations')?.found).toBe('2 of 3 have all scopes of the manifest.');
    expect(toMend(found)).toEqual([
      {
        subject: `Slack scopes in old (${id})`,
        found:
          "These are missing: app_mentions:read (to see when it is mentioned), assistant:write (to show that it is thinking, and titles and suggestions in the agent's panel).",
        mend: reinstall,
      },
    ]);
    expect(wordsOf(found)).not.toContain('xoxb');
  });

  it('and falls back to the granted scopes if Slack doesn’t answer', async () => {
    await installed('old', all.slice(1));
    slack.api.faults.plan('auth.test', { kind: 'status', status: 502, when: 'before' });
    expect(toMend(await look())).toMatchObject([
      { found: expect.stringMatching(/^These are missing: app_mentions/) },
    ]);
  });

  it('and names a handful of many, and counts the rest', async () => {
    for (let index = 0; index < 8; index++) await installed(`w${index}`, all.slice(1));
    const found = toMend(await look());
    expect(found).toHaveLength(6);
    expect(found.at(-1)).toEqual({
      subject: 'Slack scopes elsewhere',
      found: '3 more installations have the same problem.',
      mend: reinstall,
    });
  });

  it('and names a workspace whose token Slack refuses', async () => {
    const gone = await installed('gone', all);
    slack.uninstall(gone);
    expect(toMend(await look())).toEqual([
      {
        subject: `Slack token of gone (${gone.id})`,
        found: 'Slack refuses it (account_inactive).',
        mend: "have it installed there again at /slack/install of this bot's address",
      },
    ]);
  });

  it('and skips workspaces where the bot may not run', async () => {
    await installed('old', all.slice(1));
    expect(toMend(await look({ ALLOWED_TEAMS: 'T0OTHER' }))).toEqual([]);
  });

  it('and lists the events that the app needs, which no token tells', async () => {
    const events = (await look()).get('Slack events');
    for (const event of botEvents) expect(events?.found).toContain(event);
    expect(events?.found).toContain('page Event Subscriptions');
    expect(events?.mend).toBeUndefined();
  });

  it('and reports that the event of Slack’s Stop button is missing, if the bot has seen that', async () => {
    const capabilities = createCapabilities(database, 'slack', Date.now);
    await capabilities.note('T1', slackFeatures.stopEvent, 'refused');
    expect(toMend(await check({ ...socketMode(), DATABASE_URL: url }))).toEqual([
      {
        subject: 'Slack events',
        found:
          'The app doesn’t get agent_session_stopped, so Slack doesn’t show its own Stop button (seen in T1).',
        mend: 'add it at https://api.slack.com/apps, page Event Subscriptions, or paste what npm run slack:manifest prints at https://api.slack.com/apps, page App Manifest',
      },
    ]);
    await capabilities.note('T2', slackFeatures.stopEvent, 'refused');
    expect((await look()).get('Slack events')?.found).toContain('(seen in 2 workspaces)');
    for (const id of ['T1', 'T2']) await capabilities.note(id, slackFeatures.stopEvent, 'works');
    expect((await look()).get('Slack events')?.mend).toBeUndefined();
  });

  it('and not that it was missing once, longer ago than that is believed', async () => {
    const longAgo = () => Date.now() - 8 * 86_400_000;
    await createCapabilities(database, 'slack', longAgo).note('T1', slackFeatures.stopEvent, 'refused');
    expect((await look()).get('Slack events')?.mend).toBeUndefined();
  });
});
