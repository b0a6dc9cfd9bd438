import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { settings } from '../../src/config/settings.ts';
import { processEnvironment } from '../process-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

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
  const loaded = await startedWith('./test/ops/print-packages.ts');
  expect(loaded).toEqual(expect.arrayContaining(['hono', 'kysely', 'undici']));
  expect(loaded.filter((name) => late.includes(name))).toEqual([]);
});

it('with its code compiled, the bot starts without what strips types, 2.8 MB of WebAssembly', async () => {
  // JavaScript: its own types would be stripped.
  const printModules = `data:text/javascript,process.on('exit', () => console.error(process.moduleLoadList.join('\\n')))`;
  // With the cache of its own, as `npm start` has none from its environment.
  const NODE_COMPILE_CACHE = undefined;
  await startedWith(printModules, { NODE_COMPILE_CACHE });
  const loaded = await startedWith(printModules, { NODE_COMPILE_CACHE });
  expect(loaded).toContain('NativeModule sqlite');
  expect(loaded.filter((name) => name.includes('amaro'))).toEqual([]);
});

/** What the program loaded before it wrote to stderr while the bot started and stopped. */
async function startedWith(loadedBefore: string, environment: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const [, ...start] = packageJson.scripts.start.split(' ');
  const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  const child = spawn(process.execPath, ['--import', loadedBefore, ...start], {
    cwd: new URL('../..', import.meta.url),
    env: {
      ...processEnvironment,
      ...unset,
      PORT: '0',
      DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'troupe.db')}`,
      ...environment,
    },
  });
  const closed = once(child, 'close');
  const written: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => written.push(line));
  for await (const line of createInterface({ input: child.stdout }))
    if ((JSON.parse(line) as { msg: string }).msg === 'ready') break;
  child.stdout.resume();
  child.kill();
  await closed;
  return written;
}
