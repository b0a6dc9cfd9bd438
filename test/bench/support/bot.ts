import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The bot as `npm start` runs it, with nothing configured and nothing there yet. */
export interface FreshBot {
  readonly url: string;
  /** From the process's start to its word that it is ready. */
  readonly milliseconds: number;
  stop(): Promise<void>;
}

/** Starts it on a new database, with the embedded sandbox and the console, at any free port. */
export async function startFreshBot(): Promise<FreshBot> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const begun = performance.now();
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url } = JSON.parse(line) as { readonly msg: string; readonly url: string };
    if (msg !== 'ready') continue;
    const milliseconds = performance.now() - begun;
    child.stdout.resume();
    return { url, milliseconds, stop };
  }
  await stop();
  throw new Error('the bot ended before it was ready');
}
