import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { endsWithFile } from '../at-end.ts';
import { BotProcess } from '../crash/bot-process.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { processEnvironment } from '../process-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const fasterClock = fileURLToPath(new URL('../chaos/inside.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

/** Starts the bot, and answers what it said when it ended. `onLog` gets what it logs. */
async function ended(
  environment: Record<string, string>,
  nodeOptions: readonly string[] = [],
  onLog = (_text: string, _bot: ChildProcess) => {},
) {
  const child = spawn(process.execPath, [...nodeOptions, main], {
    cwd: folder,
    env: { ...processEnvironment, ...environment },
  });
  child.stdout.on('data', (data) => onLog(String(data), child));
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const [status] = (await once(child, 'exit')) as [number];
  return { status, said };
}

/** Every process would have a sandbox of its own. */
const service = { SERVICE_BASE_URL: 'http://127.0.0.1:9/v1', SERVICE_API_KEY: 'sk-svc-1234' };

const inUse = (file: string) => ({
  status: 1,
  said: `sqlite:${file}: another process is using it; stop that process first\n`,
});

describe('the start', () => {
  it('exits with one line per fault, and shows no secret', async () => {
    const { status, said } = await ended({ PORT: 'eighty', DISCORD_TOKEN: 'a secret' });
    expect(status).toBe(1);
    expect(said.trim().split('\n')).toEqual([
      expect.stringMatching(/^DISCORD_TOKEN: .*allowed: a bot token$/),
      expect.stringMatching(/^PORT: .*allowed: a port/),
    ]);
    expect(said).not.toContain('a secret');
  });

  it('keeps its compiled code to itself where NODE_COMPILE_CACHE is empty, and not in the folder it’s started in', async () => {
    await ended({ PORT: 'eighty', NODE_COMPILE_CACHE: '' });
    expect(await readdir(folder)).toEqual([]);
  });

  // No folder can be made below /proc; Node's own way of making several tries it for ever, and hears no signal.
  it.runIf(process.platform === 'linux')('exits with a clear message if no folder can be made', async () => {
    const folder = `/proc/${process.pid}/nowhere`;
    const environment = { ...processEnvironment, DATABASE_URL: `sqlite:${folder}/deep/a.db`, PORT: '0' };
    const { status, stderr } = spawnSync(process.execPath, [main], {
      env: environment,
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    expect([status, stderr]).toEqual([
      1,
      `sqlite:${folder}/deep/a.db: ENOENT: no such file or directory, mkdir '${folder}'\n`,
    ]);
  });

  it('exits with a clear message where nothing that’s paid for could be kept', async () => {
    const spool = join(folder, 'spool');
    await writeFile(spool, '');
    expect(await ended({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}` })).toEqual({
      status: 1,
      said: `${spool}: the bot can’t write into this folder; give it, with all that’s in it, to the bot’s user\n`,
    });
  });

  it('exits with a clear message where the system can’t listen at an address, such as one without its zone', async () => {
    const environment = { PORT: '0', HOST: 'fe80::1', CONSOLE: 'off', DATABASE_URL: 'sqlite::memory:' };
    expect(await ended(environment)).toEqual({
      status: 1,
      // Systems have different words for it.
      said: expect.stringMatching(/^HOST: [^\n]*fe80::1[^\n]*\n$/),
    });
  });

  it('exits with a clear message if something locks the database', async () => {
    const file = join(folder, 'a.db');
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}`, CHAOS_SCALE: '100' };
    // Half a minute of waiting, made short.
    expect(await ended(environment, ['--import', fasterClock])).toEqual(inUse(file));
    other.close();
  });

  it('keeps nothing in a folder of this machine where PostgreSQL has all: a closed one is none of its business', async () => {
    const closed = `import { mkdirSync, writeFileSync } from 'node:fs';
      const folder = process.env.TMPDIR + '/troupe-' + process.pid;
      mkdirSync(folder);
      writeFileSync(folder + '/spool', '');`;
    const environment = { PORT: '0', DATABASE_URL: await freshPostgres(), TMPDIR: folder, ...service };
    const { status, said } = await ended(
      environment,
      ['--import', `data:text/javascript,${encodeURIComponent(closed)}`],
      (text, bot) => void (text.includes('"ready"') && bot.kill('SIGTERM')),
    );
    expect([status, said]).toEqual([0, '']);
  });

  it('ends at once where it’s told to stop while it waits for its database', async () => {
    const url = await freshPostgres();
    const backup = new Client({ connectionString: url });
    await backup.connect();
    onTestFinished(() => backup.end());
    // As it was before the newest version.
    await backup.query(`alter table ledger drop column sent_at;
      delete from kysely_migration where name = '0008-sent-calls'`);
    await backup.query('begin; lock table ledger in access share mode');
    let log = '';
    const { status } = await ended({ PORT: '0', DATABASE_URL: url, ...service }, [], (text, bot) => {
      log += text;
      if (text.includes('once these sessions let go')) bot.kill('SIGTERM');
    });
    expect([status, log]).toEqual([0, expect.not.stringContaining('shutdown took too long')]);
  });

  it('says on the log within a minute that its database is deleted', async () => {
    const file = join(folder, 'a.db');
    // A minute is 300 milliseconds, an hour 18 seconds.
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}`, CHAOS_SCALE: '200' };
    const { promise: said, resolve } = Promise.withResolvers<void>();
    const onLine = (line: string) => line.includes('a.db was deleted or replaced') && resolve();
    const how = { waitsForReady: false, onLine };
    const bot = await BotProcess.start(environment, ['--import', fasterClock], how);
    await rm(file);
    const deletedAt = performance.now();
    await said;
    const saidAfter = performance.now() - deletedAt;
    await bot.kill();
    expect(saidAfter).toBeLessThan(9_000);
  });

  it('says on the log that its database can’t be brought to the disk', async () => {
    const readOnly = join(folder, 'read-only.mjs');
    await writeFile(
      readOnly,
      `import { open } from 'node:fs/promises';
      const handle = await open(import.meta.filename);
      handle.constructor.prototype.datasync = async () => { throw new Error('EROFS: fdatasync'); };
      await handle.close();`,
    );
    const { promise: said, resolve } = Promise.withResolvers<void>();
    const onLine = (line: string) => line.includes('EROFS: fdatasync') && resolve();
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'a.db')}` };
    const how = { waitsForReady: false, onLine };
    const bot = await BotProcess.start(environment, ['--import', pathToFileURL(readOnly).href], how);
    await said;
    await bot.kill();
  });
});

describe('a bot that runs', () => {
  let file: string;
  let bot: BotProcess;
  beforeAll(async () => {
    file = join(await temporaryFolder(endsWithFile), 'a.db');
    bot = await BotProcess.start({ PORT: '0', DATABASE_URL: `sqlite:${file}` });
  });
  afterAll(() => bot?.kill());

  it('keeps its port: another exits with a clear message', async () => {
    const { port } = new URL(bot.url);
    expect(await ended({ PORT: port, DATABASE_URL: `sqlite:${join(folder, 'a.db')}` })).toEqual({
      status: 1,
      said: `PORT: ${port} is in use by another process; stop that process or choose another port\n`,
    });
  });

  it('keeps its database: another exits with a clear message', async () => {
    expect(await ended({ PORT: '0', DATABASE_URL: `sqlite:${file}` })).toEqual(inUse(file));
  });

  it('is seen from outside: health, readiness, metrics; and not ready any more once its database is deleted', async () => {
    expect((await fetch(`${bot.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${bot.url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${bot.url}/metrics`)).text()).toMatch(/^troupe_commands_running 0$/m);
    await rm(file);
    const readiness = await fetch(`${bot.url}/readyz`);
    expect([readiness.status, await readiness.text()]).toEqual([
      503,
      expect.stringMatching(/^database: .*a\.db was deleted or replaced/m),
    ]);
    expect(await bot.stop()).toBe(0);
  });
});
