/**
 * How long the bot takes from the start of its process until it is ready, on a new database: with nothing configured, and with
 * Discord and Slack connected (`/readyz`), where discord.js and Bolt as they come stand beside it. Their runs take turns. The
 * first run of the bot has no compiled code from the run before; that is told apart.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CountingService } from '../crash/service.ts';
import { type FreshBot, held, startFreshBot } from './support/bot.ts';
import { createDiscordCrowd } from './support/discord-crowd.ts';
import { describeRuns, median } from './support/median.ts';
import { createSlackCrowd } from './support/slack-crowd.ts';

const runs = 5;
const kept = join(import.meta.dirname, '../../node_modules/.cache/troupe');
const peers = (name: string) => join(import.meta.dirname, '../peers', name);

type Run = Pick<FreshBot, 'milliseconds' | 'processor' | 'bytes'>;

const [discord, slack] = [await createDiscordCrowd(1), await createSlackCrowd('socket', 1)];
const service = new CountingService(20);
const { url, key } = await service.start();
const platforms = { ...discord.environment, ...slack.environment };
const connected = { ...platforms, SERVICE_BASE_URL: url, SERVICE_API_KEY: key };

await rm(kept, { recursive: true, force: true });
tell('the first start', [await ofTroupe({})]);
const rows = [
  { name: 'nothing configured', start: () => ofTroupe({}), made: new Array<Run>() },
  { name: 'Discord and Slack connected', start: () => ofTroupe(connected), made: new Array<Run>() },
  { name: 'bare discord.js and Bolt', start: ofBare, made: new Array<Run>() },
];
for (let run = 0; run <= runs; run++)
  for (const { start, made } of rows) {
    const one = await start();
    // The first of each has nothing compiled yet.
    if (run > 0) made.push(one);
  }
for (const { name, made } of rows) tell(name, made);
await Promise.all([discord.close(), slack.close(), service.close()]);

async function ofTroupe(environment: Readonly<Record<string, string>>): Promise<Run> {
  const bot = await startFreshBot(environment);
  await bot.stop();
  return bot;
}

async function ofBare(): Promise<Run> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', peers('bare-discord.ts'), peers('bare-slack.ts')], {
    env: { PATH: process.env.PATH, ...platforms },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let ready = 0;
  for await (const _ of createInterface({ input: child.stdout })) if (++ready === 2) break;
  const run = { milliseconds: performance.now() - begun, ...(await held(child)) };
  child.kill();
  await exited;
  return run;
}

function tell(name: string, all: readonly Run[]): void {
  const of = (part: keyof Run) => median(all.map((run) => run[part]));
  const memory = `${(of('bytes') / 2 ** 20).toFixed(0)} MB`;
  const time = describeRuns(all.map(({ milliseconds }) => milliseconds));
  console.log(`${name}: ${time}, ${of('processor').toFixed(0)} ms of processor, ${memory}`);
}
