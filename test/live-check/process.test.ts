import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { settings } from '../../src/config/settings.ts';
import { steps as discordSteps } from '../../src/live-check/discord/check.ts';
import { commandLine, listSteps } from '../../src/live-check/live-check.ts';
import { steps as slackSteps } from '../../src/live-check/slack/check.ts';
import { slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { run } from '../../src/start/run.ts';
import { scaledClock } from '../chaos/scaled-clock.ts';
import { commands } from '../fakes/commands.ts';
import { FakeSlack, quiet } from '../fakes/slack/index.ts';
import { processEnvironment } from '../process-environment.ts';
import { adaHelps, discordStage, largeFile } from './discord-stage.ts';
import { databaseOfTest } from './stage.ts';

const script = fileURLToPath(new URL('../../src/scripts/live-check.ts', import.meta.url));
/** What the check waits for by Slack's limits is over so many times as fast. */
const scale = 4;
const fasterClock = fileURLToPath(new URL('../chaos/inside.ts', import.meta.url));
const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));

interface Outcome {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** `npm run live:check -- …` as a process; `onLine` gets its output meanwhile. */
async function liveCheck(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  onLine: (text: string, interrupt: () => void) => void = () => {},
): Promise<Outcome> {
  const env = { ...processEnvironment, ...unset, ...environment };
  const faster = environment.CHAOS_SCALE === undefined ? [] : ['--import', fasterClock];
  const child = spawn(process.execPath, [...faster, script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => {
    out += String(data);
  });
  child.stderr.on('data', (data) => {
    err += String(data);
    onLine(String(data), () => child.kill('SIGINT'));
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, out, err };
}

describe('npm run live:check, as a process', () => {
  it('tries Discord, prints the table and exits with 0', async () => {
    const stage = await discordStage();
    const database = await databaseOfTest();
    const outcome = await liveCheck(['discord', stage.channel.id], {
      ...stage.environment,
      DATABASE_URL: database,
    });
    expect(outcome.status).toBe(0);
    expect(outcome.out).toMatch(/^step +│ expected +│ seen\n─+/);
    expect(outcome.out).toMatch(/voice message +│ works with Send Voice Messages, without +│ ✓ works\n/);
    expect(outcome.out).toMatch(/· refused: 40005 [^│]*; troupe/);
    expect(outcome.out).toMatch(/\n3 results are saved for the bot.\n$/);
    expect(outcome.out + outcome.err).not.toContain(stage.discord.token);
    expect(stage.discord.messagesIn(stage.channel)).toEqual([]);
  });

  it('cleans up after Ctrl-C, and exits with 130', async () => {
    const stage = await discordStage();
    const outcome = await liveCheck(
      ['discord', stage.channel.id],
      { ...stage.environment, DATABASE_URL: await databaseOfTest() },
      (line, interrupt) => line.includes('voice message:') && interrupt(),
    );
    expect(outcome.status).toBe(130);
    expect(outcome.err).toContain('Cleaning up');
    expect(outcome.out).toContain('Stopped early');
    expect(outcome.out).not.toContain(largeFile);
    expect(stage.discord.messagesIn(stage.channel)).toEqual([]);
  });

  it('exits with 1 if the operator has to do something', async () => {
    const outcome = await liveCheck(['slack', 'C0123456'], {});
    expect(outcome).toMatchObject({ status: 1, out: expect.stringMatching(/^✗ SLACK_BOT_TOKEN is not set/) });
  });

  it('prints its usage', async () => {
    expect(await liveCheck(['telegram'], {})).toMatchObject({
      ...{ status: 1, out: '' },
      err: expect.stringMatching(/^usage: npm run live:check/),
    });
  });
});

it.each([
  [[], 'usage: npm run live:check'],
  [['telegram', 'C0123456'], 'usage: npm run live:check'],
  [['slack', 'C0123456', 'C0123457'], 'usage: npm run live:check'],
  [['slack', 'C0123456', '--now'], 'usage: npm run live:check'],
  [['discord', '#general'], '#general is not the id of a channel'],
  [['slack', '123456789012345678'], '123456789012345678 is not the id of a channel'],
])('the arguments %j are refused', (given, words) => {
  expect(() => commandLine(given)).toThrow(words);
});

it.each([
  ['discord', discordSteps],
  ['slack', slackSteps],
] as const)('without a channel it lists the steps: %s', async (platform, steps) => {
  const { channel } = commandLine([platform, '--with-me']);
  expect(channel).toBeUndefined();
  const list = await listSteps(platform, 400);
  for (const { name, expected, otherwise = '' } of steps)
    expect(list).toMatch(
      new RegExp(`^${escaped(name)} +│ ${escaped(expected)} +│ ?${escaped(otherwise)}$`, 'm'),
    );
});
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('while the bot runs on the same database', () => {
  it('the bot ignores the check’s commands on Discord', async () => {
    const sandbox = await createSandbox({ pace: 'instant', renderTime: 0, limits: 'off' }).listen();
    onTestFinished(() => sandbox.close());
    const stage = await discordStage();
    stage.discord.gateway.identifyWindow = 0;
    const environment = { ...stage.environment, DATABASE_URL: await databaseOfTest(), PORT: '0' };
    const service = { SERVICE_BASE_URL: sandbox.url, SERVICE_API_KEY: sandbox.key };
    const bot = await run(readConfig({ ...environment, ...service }), pino({ level: 'silent' }));
    onTestFinished(() => bot.stop());
    await stage.discord.until('its commands', () => stage.discord.commands.list('global').length > 0);
    const { results } = await stage.run({ helper: adaHelps(stage) });
    expect(results).toMatchObject({
      'follow-up after the loading message was deleted': 'works: works',
      'mention in an option': 'works: <@id>, without the name',
    });
    const callbacks = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
    expect(stage.discord.journal.to(callbacks).filter(({ status }) => status >= 400)).toEqual([]);
  });

  it('the check’s results on Slack change what the bot does', async () => {
    const sandbox = await createSandbox({ pace: 'instant', renderTime: 0, limits: 'off' }).listen();
    onTestFinished(() => sandbox.close());
    const slack = await FakeSlack.start({
      manifest: slackManifest(commands, { prefix: '' }),
      clock: scaledClock(scale),
    });
    onTestFinished(() => slack.stop());
    const workspace = slack.addWorkspace();
    const ada = slack.person(workspace, { name: 'ada' });
    const channel = slack.channel(workspace, 'trials', [ada]);
    const environment = {
      SLACK_BOT_TOKEN: slack.install(workspace).token,
      SLACK_APP_TOKEN: slack.credentials.appToken,
      SLACK_API_URL: slack.apiUrl,
      DATABASE_URL: await databaseOfTest(),
      PORT: '0',
    };
    const service = { SERVICE_BASE_URL: sandbox.url, SERVICE_API_KEY: sandbox.key };
    const bot = await run(readConfig({ ...environment, ...service }), pino({ level: 'silent' }));
    onTestFinished(() => bot.stop());
    const streams = () => slack.api.of('chat.startStream').length;
    const ask = async () => {
      ada.says('hello', ada.directMessages);
      const answers = slack.api.calls.length;
      await expect.poll(() => slack.api.calls.length).toBeGreaterThan(answers);
      await quiet(slack);
    };
    await expect.poll(() => slack.sockets.connected).toBeGreaterThan(0);
    await ask();
    await expect.poll(streams).toBe(1);

    slack.world.readings.streamInDirectMessage = 'refused';
    const outcome = await liveCheck(['slack', channel.id], { ...environment, CHAOS_SCALE: `${scale}` });
    expect(outcome.status).toBe(0);
    expect(outcome.out).toMatch(/stream in direct messages: +│ works, in chunks +│ · refused: .*; troupe\n/);
    expect([...channel.messages.values()]).toEqual([]);

    const before = streams();
    await ask();
    await expect
      .poll(() => slack.api.of('chat.postMessage').at(-1)?.args.channel)
      .toBe(ada.directMessages.id);
    expect(streams()).toBe(before);
  });
});
