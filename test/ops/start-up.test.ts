import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { processEnvironment } from '../process-environment.ts';

/** Large, and of no use to a bot that has nothing configured and was asked for nothing yet. */
const late = [
  '@discordjs/rest',
  '@discordjs/ws',
  'discord-api-types',
  '@slack/bolt',
  '@napi-rs/canvas',
  'mediabunny',
  'opus-decoder',
  'prom-client',
  'pino-pretty',
  '@echogarden/espeak-ng-emscripten',
  'h264-mp4-encoder',
];

it('the bot is ready before it loads what it may never need', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-start-'));
  const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  const child = spawn(process.execPath, ['--import', './test/ops/print-packages.ts', 'src/main.ts'], {
    cwd: new URL('../..', import.meta.url),
    env: {
      ...processEnvironment,
      ...unset,
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
    },
  });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
    await rm(folder, { recursive: true });
  });
  const loaded: string[] = [];
  createInterface({ input: child.stderr }).on('line', (name) => loaded.push(name));
  for await (const line of createInterface({ input: child.stdout }))
    if ((JSON.parse(line) as { msg: string }).msg === 'ready') break;
  child.kill('SIGKILL');
  await closed;
  expect(loaded).toEqual(expect.arrayContaining(['hono', 'kysely', 'undici']));
  expect(loaded.filter((name) => late.includes(name))).toEqual([]);
});
