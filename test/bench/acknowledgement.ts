/**
 * 200 commands a second for ten seconds, given in Discord by 200 people: how long each waits for its acknowledgement,
 * beside a bot of discord.js as it comes that does nothing else; and what is left in memory. The aim: 99 of 100 under
 * 100 ms, and none lost. `help` costs nothing and answers at once; `ask` is a paid answer that streams.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BotProcess } from '../crash/bot-process.ts';
import { CountingService } from '../crash/service.ts';
import { type Crowd, createCrowd } from './support/crowd.ts';
import { megabytes, quantile } from './support/figures.ts';
import type { Look } from './support/inside.ts';

const inside = fileURLToPath(new URL('./support/inside.ts', import.meta.url));
const bare = fileURLToPath(new URL('./support/bare-discord.ts', import.meta.url));
const perSecond = 200;
const seconds = 10;

function tell(
  name: string,
  { waits, lost, busy }: Awaited<ReturnType<Crowd['give']>>,
  more: readonly string[] = [],
): void {
  const [half, late] = [0.5, 0.99].map((share) => `${quantile(waits, share).toFixed(0)} ms`);
  const counted = `${waits.length} answered, ${lost} lost, test server ${(busy * 100).toFixed(0)} % busy`;
  console.log([`${name.padEnd(16)} p50 ${half}, p99 ${late}`, counted, ...more].join(', '));
}

async function ofBare(crowd: Crowd): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [bare], {
    env: { PATH: process.env.PATH, ...crowd.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  try {
    tell('bare discord.js', await crowd.give('help', perSecond, seconds));
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function ofTroupe(
  crowd: Crowd,
  service: { readonly url: string; readonly key: string },
  command: 'help' | 'ask',
) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const bot = await BotProcess.start(
    {
      ...crowd.environment,
      SERVICE_BASE_URL: service.url,
      SERVICE_API_KEY: service.key,
      DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
      CONFIRM_OVER_CREDITS: '1000000',
      PORT: '0',
    },
    ['--expose-gc', '--import', inside],
  );
  try {
    await crowd.registered();
    await crowd.give('help', 5, 2);
    const before = await bot.ask<Look>({});
    const given = await crowd.give(command, perSecond, seconds);
    const during = await bot.ask<Look>({});
    await setTimeout(command === 'help' ? 5_000 : 10_000);
    const after = await bot.ask<Look>({});
    const memory = [before, during, after].map(({ heap }) => megabytes(heap)).join(' → ');
    tell(`troupe, /${command}`, given, [
      `${((during.cpu - before.cpu) / given.waits.length).toFixed(2)} ms of CPU each`,
      `loop held ${during.longest.toFixed(0)} ms`,
      `heap ${memory}`,
    ]);
  } finally {
    await bot.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

const service = new CountingService(20);
const { url, key } = await service.start();
const crowd = await createCrowd(perSecond);
try {
  await ofTroupe(crowd, { url, key }, 'help');
  await ofTroupe(crowd, { url, key }, 'ask');
  await ofBare(crowd);
} finally {
  await crowd.close();
  await service.close();
}
process.exit();
