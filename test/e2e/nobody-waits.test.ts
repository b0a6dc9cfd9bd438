import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { type Bot, createBot } from '../../src/app/bot.ts';
import { alone } from '../../src/coordination/index.ts';
import { startDiscord } from '../../src/platforms/discord/index.ts';
import { createSlack } from '../../src/platforms/slack/index.ts';
import { slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import type { Platform } from '../../src/port/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { Vault } from '../../src/secrets/vault.ts';
import { ServiceClient } from '../../src/service/index.ts';
import { createCapabilities, type Database, folderFiles, openKeyv } from '../../src/store/index.ts';
import { endsWithTest } from '../at-end.ts';
import { botSettings } from '../fakes/bot-settings.ts';
import { FakeClock } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { FakeDiscord } from '../fakes/discord/index.ts';
import { noPlaces } from '../fakes/places.ts';
import { FakeSlack, type Json, shown } from '../fakes/slack/index.ts';
import { invited, shortBuckets } from '../platforms/discord/support/invited.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The most that people wait for the first words, in milliseconds. */
const patience = 3_000;
const long = 'Write 20000 characters';
const log = pino({ level: 'silent' });

/** The bot without a platform, and the service's stand-in that writes as fast as people read: one clock for both. */
async function startBot(): Promise<{ bot: Bot; clock: FakeClock; database: Database }> {
  const clock = new FakeClock(Date.now());
  const folder = await temporaryFolder();
  const sandbox = await createSandbox({ clock, pace: 'human', limits: 'off' }).listen();
  endsWithTest(() => sandbox.close());
  const database = await openMigrated();
  endsWithTest(() => database.destroy());
  const service = new ServiceClient({ baseUrl: sandbox.url, apiKey: sandbox.key, clock });
  endsWithTest(() => service.close());
  const bot = createBot({
    commands,
    database,
    coordination: alone(),
    service,
    clock,
    log,
    files: folderFiles(folder),
    settings: botSettings,
  });
  return { bot, clock, database };
}

/** Lets time pass in small steps until something is so. */
async function until(clock: FakeClock, what: string, isSo: () => boolean): Promise<void> {
  for (let steps = 0; steps < 4_000; steps++) {
    if (isSo()) return;
    await clock.advance(50);
    // Sockets and the database get their turn of the real world.
    await setTimeout(1);
  }
  throw new Error(`${what} never was so`);
}

/** Stops what is being written, so that nothing outlives the test. */
function closing(bot: Bot, platform: Platform, clock: FakeClock): void {
  endsWithTest(async () => {
    let over = false;
    const closed = platform
      .stopReceiving()
      .then(() => bot.close())
      .then(() => platform.close())
      .finally(() => {
        over = true;
      });
    await until(clock, 'the end', () => over);
    await closed;
  });
}

describe('while Ada’s long answer is being written', () => {
  it('on Discord, Bob reads his first words within 3 s, each answer says whose question it is', async () => {
    const { bot, clock, database } = await startBot();
    const discord = await FakeDiscord.start({ buckets: shortBuckets, clock });
    endsWithTest(() => discord.close());
    discord.gateway.identifyWindow = 0;
    const owner = discord.world.addUser('owner');
    const guild = discord.world.addGuild({ name: 'Analysts', owner, permissions: invited });
    const channel = discord.world.addChannel(guild, 'general');
    const [ada, bob] = [discord.addPerson(guild, 'ada'), discord.addPerson(guild, 'bob')];
    const platform = startDiscord({
      places: noPlaces,
      coordination: alone(),
      token: discord.token,
      apiUrl: discord.apiUrl,
      shards: 'auto',
      isOperator: async () => false,
      dispatcher: bot.dispatcher,
      contextTokens: 1_000,
      records: openKeyv(database, 'discord', () => clock.now()),
      isSilent: () => false,
      capabilities: createCapabilities(database, 'discord', () => clock.now()),
      clock,
      log,
    });
    bot.addPlatform(platform);
    closing(bot, platform, clock);
    await until(clock, 'the connection', () => platform.notReady() === undefined);
    await until(clock, 'the commands', () => discord.commands.list('global').length > 0);
    const answers = () =>
      discord
        .messagesIn(channel)
        .filter(({ authorId, content }) => authorId === discord.world.bot.id && content !== '');
    const isWriting = (index: number) => JSON.stringify(answers()[index]?.components ?? []).includes('Stop');

    ada.types(channel, { name: 'ask', options: { prompt: long } });
    await until(clock, 'Ada’s answer', () => (answers()[0]?.content.length ?? 0) > 200);
    const asked = clock.now();
    const question = bob.mentions(channel, 'What is the tide?');
    const bobs = () => answers().find(({ replyTo }) => replyTo === question.id);
    await until(clock, 'Bob’s first words', () => (bobs()?.content.length ?? 0) > 0);
    expect(clock.now() - asked).toBeLessThanOrEqual(patience);
    expect(bobs()?.content).not.toContain('Yours comes next');
    expect(isWriting(0)).toBe(true);
    expect(answers()[0]?.content).toMatch(/^> \*\*ada\*\*: Write 20000 characters\n/);
    expect(discord.journal.violations).toEqual([]);
  });

  it('on Slack, Ben reads his first words within 3 s in the same thread, each answer says whose it is', async () => {
    const { bot, clock, database } = await startBot();
    const slack = await FakeSlack.start({
      manifest: slackManifest(commands, { prefix: '' }) as unknown as Json,
      clock,
      send: async () => new Response(),
    });
    endsWithTest(() => slack.stop());
    const workspace = slack.addWorkspace('acme');
    const { token } = slack.install(workspace);
    const [ada, ben] = [slack.person(workspace, { name: 'ada' }), slack.person(workspace, { name: 'ben' })];
    const general = slack.channel(workspace, 'general', [ada, ben]);
    const platform = await createSlack({
      places: noPlaces,
      coordination: alone(),
      dispatcher: bot.dispatcher,
      homePage: bot.homePage,
      outcomes: bot.outcomes,
      database,
      vault: new Vault({ secret: 'a secret of thirty-two characters', file: undefined }),
      clock,
      log,
      settings: {
        SLACK_COMMAND_PREFIX: '',
        SLACK_API_URL: slack.apiUrl,
        HISTORY_TOKENS: 16_000,
        SLACK_APP_TOKEN: slack.credentials.appToken,
        SLACK_BOT_TOKEN: token,
      },
    });
    bot.addPlatform(platform);
    closing(bot, platform, clock);
    await until(clock, 'the connection', () => platform.notReady() === undefined);
    const answers = () => [...general.messages.values()].filter(({ byApp }) => byApp).map(shown);

    const root = ada.says(`${ada.bot} ${long}`, general).message;
    await until(clock, 'Ada’s answer', () => (answers()[0]?.length ?? 0) > 200);
    const asked = clock.now();
    ben.says('What is the tide?', general, { thread: root.ts });
    const bens = () => answers().find((text) => text.startsWith('*ben*: What is the tide?\n'));
    await until(clock, 'Ben’s first words', () => (bens()?.split('\n')[1] ?? '').length > 0);
    expect(clock.now() - asked).toBeLessThanOrEqual(patience);
    expect(bens()).not.toContain('Yours comes next');
    expect(answers()[0]).toContain('Stop');
    void ada.types('/ask Short?', general);
    await until(clock, 'an answer to a command', () =>
      answers().some((text) => text.includes('*ada* · `/ask` Short?')),
    );
  });
});
