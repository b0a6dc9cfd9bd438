import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { endsWithTest } from '../at-end.ts';
import { freePort } from '../free-port.ts';
import { patience } from '../patience.ts';
import { processEnvironment } from '../process-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

/** A program of Linux that gives another one a terminal: what's written to it is typed there. */
const terminal = '/usr/bin/script';

/** Starts the bot with its log somewhere, or on a terminal, and waits until it answers. */
async function start(stdout: 'pipe' | 'terminal' | number, stderr: 'pipe' | number, preload?: string) {
  const port = await freePort();
  const environment = {
    ...processEnvironment,
    PORT: String(port),
    LOG_LEVEL: 'trace',
    DATABASE_URL: `sqlite:${join(folder, 'a.db')}`,
  };
  const before = preload === undefined ? [] : ['--import', pathToFileURL(preload).href];
  const program = [process.execPath, ...before, main] as const;
  const bot =
    stdout === 'terminal'
      ? spawn(terminal, ['--quiet', '--return', '--command', `exec '${program.join("' '")}'`, '/dev/null'], {
          env: environment,
        })
      : spawn(program[0], program.slice(1), { env: environment, stdio: ['ignore', stdout, stderr] });
  endsWithTest(() => bot.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const health = async () => {
    const signal = AbortSignal.timeout(patience.timeout);
    return (await fetch(`${url}/healthz`, { signal }).catch(() => undefined))?.status;
  };
  while ((await health()) !== 200 && bot.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { bot, health };
}

describe.runIf(process.platform === 'linux')('with no room for its log', () => {
  it('the bot lives and answers, and an uncaught error ends its process with 1', async () => {
    const preload = join(folder, 'fault.mjs');
    await writeFile(preload, `process.on('SIGUSR2', () => { throw new Error('boom'); });`);
    const full = openSync('/dev/full', 'w');
    const { bot, health } = await start(full, full, preload);
    closeSync(full);
    expect(await health()).toBe(200);
    const exited = once(bot, 'exit');
    bot.kill('SIGUSR2');
    expect(await exited).toEqual([1, null]);
  });
});

describe('without a reader of its log', () => {
  it('the bot lives, answers, and stops on a signal', async () => {
    const { bot, health } = await start('pipe', 'pipe');
    bot.stdout?.destroy();
    bot.stderr?.destroy();
    expect(await health()).toBe(200);
    const exited = once(bot, 'exit');
    bot.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});

describe.runIf(existsSync(terminal))('on a terminal whose output is held up (Ctrl+S)', () => {
  it('the bot lives, answers, and stops on Ctrl+C', async () => {
    const preload = join(folder, 'talk.mjs');
    await writeFile(preload, `setInterval(() => process.stdout.write('.'), 10).unref();`);
    const { bot, health } = await start('terminal', 'pipe', preload);
    let shown = 0;
    bot.stdout?.on('data', (data: Buffer) => {
      shown += data.length;
    });
    bot.stdin?.write('\x13');
    let before = 0;
    const isHeldUp = () => {
      const isQuiet = shown === before;
      before = shown;
      return isQuiet;
    };
    await expect.poll(isHeldUp, { ...patience, interval: 300 }).toBe(true);
    expect(await health()).toBe(200);
    const exited = once(bot, 'exit');
    bot.stdin?.write('\x03');
    expect(await exited).toEqual([0, null]);
  });
});

describe.runIf(existsSync(terminal))(
  'a terminal of somebody else’s, which the bot shares with their shell (su)',
  () => {
    it('stays as it is: what else runs there may still wait to write', async () => {
      const script = join(folder, 'share.mjs');
      const log = pathToFileURL(fileURLToPath(new URL('../../src/ops/log.ts', import.meta.url))).href;
      await writeFile(
        script,
        `import { chmodSync, readFileSync } from 'node:fs';
import { standardOutput } from ${JSON.stringify(log)};
chmodSync('/proc/self/fd/0', 0);
if (process.getuid() === 0) process.setuid(65534);
const output = standardOutput();
const flags = () => parseInt(/flags:\\s*(\\d+)/.exec(readFileSync('/proc/self/fdinfo/1', 'utf8'))[1], 8);
const isBlocking = (flags() & 0o4000) === 0;
output.write('blocking: ' + isBlocking, () => {});
`,
      );
      const command = `exec '${process.execPath}' '${script}'`;
      const shell = spawn(terminal, ['--quiet', '--return', '--command', command, '/dev/null'], {
        env: processEnvironment,
      });
      endsWithTest(() => shell.kill('SIGKILL'));
      let shown = '';
      shell.stdout.on('data', (data: Buffer) => {
        shown += data.toString();
      });
      await once(shell, 'close');
      expect(shown).toBe('blocking: true');
    });
  },
);

describe('an uncaught error', () => {
  it.each([
    ['is thrown', `throw new Error('boom')`, 'uncaughtException'],
    ['is a rejection', `Promise.reject(new Error('boom'))`, 'unhandledRejection'],
  ])('%s: it is logged, and the process ends with 1', async (_, fault, origin) => {
    const preload = join(folder, 'fault.mjs');
    await writeFile(preload, `process.on('SIGUSR2', () => { ${fault}; });`);
    const { bot } = await start('pipe', 'pipe', preload);
    let said = '';
    bot.stdout?.on('data', (data) => {
      said += data;
    });
    const exited = once(bot, 'exit');
    bot.kill('SIGUSR2');
    expect(await exited).toEqual([1, null]);
    const last = JSON.parse(said.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ level: 60, origin, error: { message: 'boom' } });
  });
});
