import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: { readonly start: string };
};
/** What `npm start` gives to Node. */
const [, ...start] = scripts.start.split(' ');

/** The bot as `npm start` runs it, with nothing there yet, or another program in its place. */
export interface FreshBot extends Held {
  /** Where it serves; empty for another program. */
  readonly url: string;
  /** From the process's start until it's ready, and its platforms are connected. */
  readonly milliseconds: number;
  /** What it has taken by now. */
  held(): Promise<Held>;
  stop(): Promise<void>;
}

/** What a process has taken. */
export interface Held {
  /** Milliseconds of processor time. */
  readonly processor: number;
  /** Resident memory. */
  readonly bytes: number;
}

/** What a process has taken by now, as Linux tells. */
export async function held({ pid }: ChildProcess): Promise<Held> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  // After the program's name, which may have spaces; in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return { processor: (Number(fields[11]) + Number(fields[12])) * 10, bytes: Number(kilobytes) * 1024 };
}

/**
 * Starts it on a new database, with the embedded sandbox and the console where nothing else is configured, at any free port.
 * Another `program` says as the bot does that it's ready.
 */
export async function startFreshBot(
  environment: Readonly<Record<string, string>> = {},
  program?: string,
): Promise<FreshBot> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const begun = performance.now();
  const child = spawn(process.execPath, program === undefined ? start : [program], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
      PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url = '' } = JSON.parse(line) as { readonly msg: string; readonly url?: string };
    if (msg !== 'ready') continue;
    child.stdout.resume();
    while (url !== '' && !(await fetch(`${url}/readyz`)).ok) await setTimeout(5);
    const milliseconds = performance.now() - begun;
    return { url, milliseconds, ...(await held(child)), held: () => held(child), stop };
  }
  await stop();
  throw new Error('the bot ended before it was ready');
}
