/**
 * How long somebody in Slack sees nothing of what they asked for, where the service takes twenty seconds before its
 * first word or byte: everybody's command at once, each in a channel of their own. The aim: 3 s at the most.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { commands } from '../../commands/index.ts';
import { slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { BotProcess } from '../crash/bot-process.ts';
import { type Channel, type FakePerson, FakeSlack, type Json } from '../fakes/slack/index.ts';
import { quantile } from './support/figures.ts';

const people = 20;
/** How often it's looked whether something is there, in milliseconds. */
const lookEvery = 5;
const longest = 15_000;

const slack = await FakeSlack.start({
  manifest: slackManifest(commands, { prefix: '' }) as unknown as Json,
  send: () => Promise.reject(new Error('the bot listens to a socket')),
});
const workspace = slack.addWorkspace('acme');
const { token } = slack.install(workspace);
const sandbox = await createSandbox({ limits: 'off', renderTime: 60 }).listen();
const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
const bot = await BotProcess.start({
  SLACK_API_URL: slack.apiUrl,
  SLACK_BOT_TOKEN: token,
  SLACK_APP_TOKEN: slack.credentials.appToken,
  SERVICE_BASE_URL: sandbox.url,
  SERVICE_API_KEY: sandbox.key,
  DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
  CONFIRM_OVER_CREDITS: '1000000',
  PORT: '0',
});

/** How much somebody sees: messages, what they alone are shown, and in direct messages Slack's own signs of work. */
function seenBy(person: FakePerson, { id, messages }: Channel): number {
  const posts = [...messages.values()].filter(({ byApp }) => byApp).length;
  const statuses = slack.world.statuses.filter(({ channel }) => channel === id).length;
  const sessions = [...slack.world.sessions.keys()].filter((key) => key.includes(id)).length;
  const signs = id === person.directMessages.id ? statuses + sessions : 0;
  return posts + person.whispers.length + signs;
}

async function wait(person: FakePerson, channel: Channel, ask: () => unknown): Promise<number> {
  const before = seenBy(person, channel);
  const began = performance.now();
  void ask();
  while (seenBy(person, channel) === before && performance.now() - began < longest)
    await setTimeout(lookEvery);
  return performance.now() - began;
}

/** Everybody is new, and so are their channels: what others asked for before isn't counted. */
let newcomers = 0;
function newcomer(where: 'channel' | 'outside' | 'directly') {
  const name = `person${newcomers++}`;
  const person = slack.person(workspace, { name });
  const withoutBot = where === 'outside';
  const channel =
    where === 'directly'
      ? person.directMessages
      : slack.channel(workspace, `with-${name}`, [person], { withoutBot });
  return { person, channel };
}

async function measure(
  name: string,
  text: string,
  where: 'channel' | 'outside' | 'directly' = 'channel',
): Promise<void> {
  const crowd = Array.from({ length: people }, () => newcomer(where));
  const waits = await Promise.all(
    crowd.map(({ person, channel }) =>
      wait(person, channel, () =>
        text.startsWith('/')
          ? person.types(text, channel)
          : person.says(text.replace('@troupe', person.bot), channel),
      ),
    ),
  );
  const [half, most] = [quantile(waits, 0.5), Math.max(...waits)].map((wait) => `${wait.toFixed(0)} ms`);
  console.log(`${name.padEnd(40)} half within ${half}, all within ${most}`);
}

// What a bot does for the first time takes longer, until its code is compiled.
await measure('(the first, of a bot that just started)', '/troupe help');
await measure('/troupe help', '/troupe help');
await measure('/imagine', '/imagine a cat [[slow 20]]');
await measure('/video', '/video a cat surfing [[slow 20]]');
await measure('/speak', '/speak Good morning [[slow 20]]');
await measure('a mention with speak', '@troupe speak Good morning [[slow 20]]');
await measure('/ask', '/ask tides [[slow 20]]');
await measure('a mention', '@troupe explain tides [[slow 20]]');
await measure('/ask where the bot is no member', '/ask tides [[slow 20]]', 'outside');
await measure('a direct message', 'explain tides [[slow 20]]', 'directly');
await measure('speak in direct messages', 'speak Good morning [[slow 20]]', 'directly');
await bot.kill();
await sandbox.close();
await rm(folder, { recursive: true, force: true });
process.exit();
