/**
 * 200 commands a second for ten seconds, given by 200 people: how long each waits for its acknowledgement, on Discord
 * and on Slack, beside bots of discord.js and Bolt as they come that do nothing else; and what is left in memory. The
 * aim: 99 of 100 under 100 ms, and none lost. The bot is a process of its own; the test servers, the crowd and the
 * service are this one, so that two cores are what it takes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BotProcess } from '../crash/bot-process.ts';
import { CountingService } from '../crash/service.ts';
import type { Crowd, Given, GivenCommand } from './support/crowd.ts';
import { createDiscordCrowd } from './support/discord-crowd.ts';
import { megabytes, quantile } from './support/figures.ts';
import type { Look } from './support/inside.ts';
import { createSlackCrowd } from './support/slack-crowd.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const perSecond = 200;
const seconds = 10;
const { values } = parseArgs({
  options: {
    'until-back': { type: 'boolean', default: false },
    /** The beginning of a group's name: Discord, Slack socket or Slack HTTP. */
    only: { type: 'string', default: '' },
  },
});
const longestWait = values['until-back'] ? 900 : 10;

function tell(name: string, { waits, lost, busy }: Given, more: readonly string[] = []): void {
  const [half, late] = [0.5, 0.99].map((share) => `${quantile(waits, share).toFixed(0)} ms`);
  const counted = `${waits.length} answered, ${lost} lost, test server ${(busy * 100).toFixed(0)} % busy`;
  console.log([`${name.padEnd(25)} p50 ${half}, p99 ${late}`, counted, ...more].join(', '));
}

async function ofBare(name: string, program: string, crowd: Crowd): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [file(`../peers/${program}.ts`)], {
    env: { PATH: process.env.PATH, ...crowd.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  try {
    tell(name, await crowd.give('help', perSecond, seconds));
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/**
 * Waits until the bot holds little more than before: what the platforms' limits hold back keeps its memory until it
 * was sent. Gives up after ten seconds, or with `--until-back` after fifteen minutes.
 */
async function whenBack(bot: BotProcess, before: Look) {
  for (let waited = 5; ; waited += 5) {
    await setTimeout(5_000);
    const after = await bot.ask<Look>({});
    if (after.heap < before.heap * 1.1 || waited >= longestWait) return { after, waited };
  }
}

async function ofTroupe(name: string, crowd: Crowd, command: GivenCommand): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const bot = await BotProcess.start(
    {
      ...crowd.environment,
      SERVICE_BASE_URL: url,
      SERVICE_API_KEY: key,
      DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
      CONFIRM_OVER_CREDITS: '1000000',
      RENDERS_PER_PERSON: '1000',
      PORT: '0',
    },
    ['--expose-gc', '--import', file('./support/inside.ts')],
  );
  try {
    await crowd.reached(bot.url);
    // What a bot does for the first time takes longer, until its code is compiled.
    await crowd.give(command, 20, 5);
    await setTimeout(10_000);
    const before = await bot.ask<Look>({});
    const given = await crowd.give(command, perSecond, seconds);
    const during = await bot.ask<Look>({});
    const { after, waited } = await whenBack(bot, before);
    const memory = [before, during, after].map(({ heap }) => megabytes(heap)).join(' → ');
    tell(name, given, [
      `${((after.cpu - before.cpu) / given.waits.length).toFixed(2)} ms of CPU each`,
      `loop held ${during.longest.toFixed(0)} ms`,
      `heap ${memory} after ${waited} s`,
    ]);
  } finally {
    await bot.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

const service = new CountingService(20);
const { url, key } = await service.start();

/** Measures one row of what is printed. */
type Measure = (name: string, crowd: Crowd) => Promise<void>;
const help: Measure = (name, crowd) => ofTroupe(name, crowd, 'help');
const ask: Measure = (name, crowd) => ofTroupe(name, crowd, 'ask');
const bare =
  (program: string): Measure =>
  (name, crowd) =>
    ofBare(name, program, crowd);

/** The rows of a crowd, one after the other. */
async function measure(
  group: string,
  crowdOf: () => Promise<Crowd>,
  rows: Readonly<Record<string, Measure>>,
) {
  if (!group.startsWith(values.only)) return;
  const crowd = await crowdOf();
  for (const [name, of] of Object.entries(rows)) await of(`${group}, ${name}`, crowd);
  await crowd.close();
}

await measure('Discord', () => createDiscordCrowd(perSecond), {
  '/help': help,
  '/ask': ask,
  // Knows the commands that were registered for the rows above.
  'bare discord.js': bare('bare-discord'),
});
await measure('Slack socket', () => createSlackCrowd('socket', perSecond), {
  '/troupe help': help,
  'bare Bolt': bare('bare-slack'),
});
await measure('Slack socket', () => createSlackCrowd('socket', perSecond), { 'a mention': ask });
// Where the bot is reached is another address in each row.
await measure('Slack HTTP', () => createSlackCrowd('http', perSecond), { '/troupe help': help });
await measure('Slack HTTP', () => createSlackCrowd('http', perSecond), { 'a mention': ask });
process.exit();
