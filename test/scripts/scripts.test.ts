import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { RenderStore } from '../../src/renders/render-store.ts';
import { vaultOf } from '../../src/secrets/vault.ts';
import { createJobs, type Database, openDatabase, openKeyv, restoreDatabase } from '../../src/store/index.ts';
import { FakeDiscord } from '../fakes/discord/index.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { stranger } from '../foreign-file.ts';
import { processEnvironment } from '../process-environment.ts';

const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));

let folder: string;
let database: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-scripts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  database = `sqlite:${join(folder, 'troupe.db')}`;
});

const scriptOf = (name: string) => fileURLToPath(new URL(`../../src/scripts/${name}.ts`, import.meta.url));
const environmentOf = (more: Record<string, string>) => ({
  ...processEnvironment,
  ...unset,
  PORT: '0',
  DATABASE_URL: database,
  ...more,
});

/** Runs a script as `npm run` does, with these settings and no others. */
function run(
  name: string,
  environment: Record<string, string> = {},
  given: readonly string[] = [],
  [program = '', ...before]: readonly string[] = [process.execPath],
) {
  const [script, env] = [scriptOf(name), environmentOf(environment)];
  return new Promise<{ status: unknown; out: string; err: string }>((resolve) => {
    execFile(program, [...before, script, ...given], { env }, (error, out, err) =>
      resolve({ status: error ? error.code : 0, out, err }),
    );
  });
}

/** What runs a script with another before it. */
const preloading = (name: string) => [
  process.execPath,
  '--import',
  fileURLToPath(new URL(name, import.meta.url)),
];

/** Runs a script in this process, with these settings and no others: a process of its own takes half a second to start. */
async function runHere(
  name: string,
  environment: Record<string, string> = {},
  given: readonly string[] = [],
) {
  const { argv, env, exitCode } = process;
  const umask = process.umask();
  const said = { out: '', err: '' };
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.out += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.err += text;
    return true;
  });
  process.argv = [...argv.slice(0, 1), scriptOf(name), ...given];
  process.env = environmentOf(environment);
  process.exitCode = undefined;
  try {
    await import(`${scriptOf(name)}?run=${crypto.randomUUID()}`);
    return { status: process.exitCode ?? 0, ...said };
  } finally {
    out.mockRestore();
    err.mockRestore();
    process.umask(umask);
    Object.assign(process, { argv, env, exitCode });
  }
}

/** Adds rows of so many characters in one transaction. */
async function fill(writer: Database, from: number, to: number, length = 5_000) {
  const value = 'x'.repeat(length);
  await writer.transaction().execute(async (transaction) => {
    for (let row = from; row < to; row++) {
      await transaction
        .insertInto('keyv')
        .values({ key: `row ${row}`, value, expires: null })
        .execute();
    }
  });
}

describe('npm run doctor', () => {
  it('says what it can be asked for, where it’s asked for something else', async () => {
    expect(await runHere('doctor', {}, ['lising'])).toEqual({
      status: 1,
      out: '',
      err: 'usage: npm run doctor [-- listing]\n',
    });
  });

  it('exits with 0 and a line per check if nothing is wrong', async () => {
    const { status, out, err } = await run('doctor');
    expect(err).toBe('');
    expect(out.split('\n')).toEqual([
      '✓ settings: These are set, and valid: DATABASE_URL, PORT.',
      '✓ service: SERVICE_BASE_URL isn’t set, so the bot uses the embedded sandbox.',
      `✓ database: ${database} will be created at the first start.`,
      '✓ address: The bot can listen on any free port of 127.0.0.1. The console is on.',
      '✓ Discord: Off, because DISCORD_TOKEN isn’t set.',
      '✓ Slack: Off, because SLACK_BOT_TOKEN isn’t set.',
      '',
      'Everything is fine.',
      '',
    ]);
    expect(status).toBe(0);
  });

  it('exits with 1 if something needs fixing, and says how', async () => {
    const { status, out } = await runHere('doctor', { CONSOLE: 'off', SERVICE_VOICE: 'nobody' });
    expect(status).toBe(1);
    expect(out).toMatch(
      /^✗ platforms: .*\n {2}→ Set DISCORD_TOKEN or SLACK_BOT_TOKEN, or leave CONSOLE unset$/m,
    );
    expect(out).toContain('\n1 thing has to be fixed (✗).\n');
  });
});

describe('npm run backup', () => {
  it('copies the database to a new file that only the owner can read', async () => {
    const first = await openDatabase(database);
    await openKeyv(first, 'notes').set('a', 'b');
    const copy = join(folder, 'copy.db');
    const { status, out } = await run('backup', {}, [copy]);
    expect([status, out]).toEqual([0, expect.stringContaining(`is copied to ${copy}`)]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    await first.destroy();
    const second = await openDatabase(`sqlite:${copy}`);
    expect(await openKeyv(second, 'notes').get('a')).toBe('b');
    await second.destroy();
    expect(await runHere('backup', {}, [copy])).toMatchObject({
      status: 1,
      out: '',
      err: `${copy} already exists; choose another name\n`,
    });
  });

  it('says why it could not copy, and leaves no half copy behind', async () => {
    await (await openDatabase(database)).destroy();
    const elsewhere = await runHere('backup', {}, [join(folder, 'nowhere', 'copy.db')]);
    expect(elsewhere).toMatchObject({ status: 1, out: '' });
    expect(elsewhere.err).toMatch(/copy\.db: the file cannot be opened; check that its folder can be/);
    // A file may grow to 64 KiB: what is over is refused in the middle of the copy, as on a full disk.
    const limit = ['-c', 'trap \'\' XFSZ; ulimit -f 128; exec "$0" "$@"', process.execPath];
    const copy = join(folder, 'copy.db');
    const full = await run('backup', {}, [copy], ['sh', ...limit]);
    expect(full).toEqual({ status: 1, out: '', err: `${copy}: disk I/O error\n` });
    expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  it('says in a line that the disk has turned read-only meanwhile; the next run has no trouble with what is left', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    const { status, err } = await run('backup', {}, [copy], preloading('turns-read-only.ts'));
    expect({ status, err }).toEqual({
      status: 1,
      err: `EROFS: read-only file system, rename '${copy}.part'\n`,
    });
    expect((await runHere('backup', {}, [copy])).status).toBe(0);
  });

  it('says what is wrong with the database, and begins no copy', async () => {
    const copy = join(folder, 'copy.db');
    const from = join(folder, 'data');
    const copied = () => runHere('backup', { DATABASE_URL: `sqlite:${from}` }, [copy]);
    await mkdir(from);
    expect(await copied()).toMatchObject({ status: 1, err: `${from}: there is no database yet\n` });
    await rmdir(from);
    await writeFile(from, 'no database at all, but long enough to look like one'.repeat(100));
    expect(await copied()).toMatchObject({
      status: 1,
      err: expect.stringContaining(`sqlite:${from}: the file is damaged`),
    });
    expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  it('begins no copy of a database with a damaged page, which couldn’t be restored', async () => {
    const first = await openDatabase(database);
    await fill(first, 0, 1_000, 20_000);
    await first.destroy();
    const file = join(folder, 'troupe.db');
    const damaged = await open(file, 'r+');
    await damaged.write(
      Buffer.alloc(4_096, 0xee),
      0,
      4_096,
      Math.floor((await stat(file)).size / 8_192) * 4_096,
    );
    await damaged.close();
    expect(await runHere('backup', {}, [join(folder, 'copy.db')])).toMatchObject({
      status: 1,
      err: expect.stringContaining('troupe.db: the file is damaged; put a backup in its place'),
    });
    expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  it('makes no copy beside the log of another database, which SQLite would apply to it', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    // It's there, and empty, where somebody only looked into a copy.
    await writeFile(`${copy}-wal`, '');
    expect((await runHere('backup', {}, [copy])).status).toBe(0);
    await rm(copy);
    await writeFile(`${copy}-wal`, 'of a bot that was tried on a copy, and killed');
    expect(await runHere('backup', {}, [copy])).toEqual({
      status: 1,
      out: '',
      err: `${copy}-wal already exists; choose another name\n`,
    });
    expect(existsSync(copy)).toBe(false);
  });

  it('writes nothing into an existing file of the same name', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    const { status, err } = await run('backup', {}, [copy], preloading('plant.ts'));
    expect([status, err]).toEqual([1, expect.stringContaining('another user just created this file')]);
    expect(existsSync(copy)).toBe(false);
    expect((await stat(`${copy}.part`)).size).toBe(0);
  });

  it('takes no half copy of an interrupted run for its own', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    await writeFile(`${copy}.part`, 'the first half');
    expect((await runHere('backup', {}, [copy])).status).toBe(0);
    expect(existsSync(`${copy}.part`)).toBe(false);
    await (await openDatabase(`sqlite:${copy}`)).destroy();
  });

  it('leaves another run that began meanwhile its half of a copy to the same name', async () => {
    const first = await openDatabase(database);
    await fill(first, 0, 1_000, 20_000);
    await first.destroy();
    const copy = join(folder, 'copy.db');
    expect(await run('backup', {}, [copy], preloading('overtaken.ts'))).toEqual({
      status: 1,
      out: '',
      err: `${copy}: another copy to this name has begun; nothing is left of this one\n`,
    });
    expect(existsSync(copy)).toBe(false);
    expect(await readFile(`${copy}.part`, 'utf8')).toBe('the first half');
  });

  it('is done once its name outlives a power cut, too', async () => {
    await (await openDatabase(database)).destroy();
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    const { status, err } = await run('backup', {}, [join(elsewhere, 'copy.db')], preloading('flushed.ts'));
    expect([status, err]).toEqual([0, `flushed ${(await stat(elsewhere)).ino}\n`]);
  });

  it('is made, and put back, also where the system keeps the names in a folder by itself, as Windows does', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    const preloaded = preloading('unflushed-folders.ts');
    expect(await run('backup', {}, [copy], preloaded)).toMatchObject({ status: 0, err: '' });
    expect(await run('restore', {}, [copy], preloaded)).toMatchObject({ status: 0, err: '' });
  });

  it('finishes while a bot keeps writing', async () => {
    const first = await openDatabase(database);
    await fill(first, 0, 3_000, 20_000);
    await first.destroy();
    const writer = await openDatabase(database);
    const copied = run('backup', {}, [join(folder, 'copy.db')]);
    let isOver = false;
    void copied.finally(() => {
      isOver = true;
    });
    for (let row = 0; !isOver; row++) {
      await fill(writer, 10_000 + row, 10_001 + row);
      await setTimeout(20);
    }
    expect((await copied).status).toBe(0);
    await writer.destroy();
  });

  it('says what it needs', async () => {
    expect((await runHere('backup')).err).toBe('usage: npm run backup -- FILE\n');
    expect((await runHere('backup', {}, [join(folder, 'copy.db')])).err).toMatch(
      /there is no database yet\n$/,
    );
  });
});

describe('npm run restore', () => {
  const countRows = (file: string) => {
    const opened = new DatabaseSync(file, { readOnly: true });
    const [row] = opened.prepare("select count(*) as count from keyv where key like 'row %'").all();
    const [{ integrity_check: integrity } = {}] = opened.prepare('pragma integrity_check').all();
    opened.close();
    return { count: row?.count, integrity };
  };

  /** A copy as `npm run backup` makes it, without the start of a process. */
  const copied = async (copy: string) => {
    const opened = new DatabaseSync(join(folder, 'troupe.db'), { readOnly: true });
    await backup(opened, copy);
    opened.close();
  };

  it('puts a copy in the place of a database whose process was killed, and keeps what was there', async () => {
    const file = join(folder, 'troupe.db');
    const copy = join(folder, 'copy.db');
    const writer = await openDatabase(database);
    await fill(writer, 0, 100);
    expect((await runHere('backup', {}, [copy])).status).toBe(0);
    await fill(writer, 100, 300);
    // As a kill leaves it: with a log that is not written into the database.
    for (const end of ['', '-wal']) await copyFile(file + end, join(folder, `killed${end}`));
    await writer.destroy();
    for (const end of ['', '-wal']) await copyFile(join(folder, `killed${end}`), file + end);
    const { status, out } = await run('restore', {}, [copy]);
    expect([status, out]).toEqual([0, expect.stringContaining(`kept as ${file}.former`)]);
    expect(countRows(file)).toEqual({ count: 100, integrity: 'ok' });
    expect(countRows(`${file}.former`)).toEqual({ count: 300, integrity: 'ok' });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await (await openDatabase(database)).destroy();
  });

  it('keeps what each restore replaces, in a folder created if missing', async () => {
    const copiedOne = await openDatabase(database);
    onTestFinished(() => copiedOne.destroy());
    await fill(copiedOne, 0, 3);
    const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
    await copied(first);
    const elsewhere = join(folder, 'new', 'data', 'troupe.db');
    const url = `sqlite:${elsewhere}`;
    expect(await restoreDatabase(url, first)).toEqual({ former: undefined });
    expect((await stat(join(folder, 'new', 'data'))).mode & 0o777).toBe(0o700);
    const bot = await openDatabase(url);
    await fill(bot, 3, 8);
    await bot.destroy();
    const empty = await openDatabase(`sqlite:${second}`);
    await empty.destroy();
    // The wrong one, so another, then back to what was there at the beginning.
    expect(await restoreDatabase(url, second)).toEqual({ former: `${elsewhere}.former` });
    expect(await restoreDatabase(url, first)).toEqual({ former: `${elsewhere}.former-2` });
    expect(countRows(elsewhere).count).toBe(3);
    await restoreDatabase(url, `${elsewhere}.former`);
    expect(countRows(elsewhere)).toEqual({ count: 8, integrity: 'ok' });
  });

  it('leaves the database as it was where it’s killed before the copy has its name', async () => {
    const file = join(folder, 'troupe.db');
    const copy = join(folder, 'copy.db');
    const writer = await openDatabase(database);
    await copied(copy);
    await fill(writer, 0, 40);
    await writer.destroy();
    const killed = await run('restore', {}, [copy], preloading('killed-before-rename.ts'));
    expect(killed).toMatchObject({ status: null, out: '' });
    await (await openDatabase(database)).destroy();
    expect(countRows(file)).toEqual({ count: 41, integrity: 'ok' });
    expect((await readdir(folder)).filter((name) => /former|restoring/.test(name))).toEqual([]);
    expect((await stat(file)).nlink).toBe(1);
    expect((await runHere('restore', {}, [copy])).out).toContain(`kept as ${file}.former.`);
  });

  it('keeps the old database’s log if it can’t be merged', async () => {
    const file = join(folder, 'troupe.db');
    const copy = join(folder, 'copy.db');
    const writer = await openDatabase(database);
    await copied(copy);
    await fill(writer, 0, 40);
    await writer.destroy();
    // Somebody looks at how it was, so that what was written since can't leave the log.
    const reader = new DatabaseSync(file);
    reader.exec('begin; select * from keyv');
    const last = new DatabaseSync(file);
    last.exec(`insert into keyv (key, value) values ('row 40', '1')`);
    last.close();
    expect((await runHere('restore', {}, [copy])).status).toBe(0);
    expect(countRows(file)).toEqual({ count: 0, integrity: 'ok' });
    reader.close();
    expect(countRows(`${file}.former`)).toEqual({ count: 41, integrity: 'ok' });
    expect((await runHere('restore', {}, [`${file}.former`])).status).toBe(0);
    expect(countRows(file).count).toBe(41);
  });

  it('takes the log of the copy along, whatever name leads to that', async () => {
    const file = join(folder, 'troupe.db');
    const killed = join(folder, 'killed', 'troupe.db');
    const bot = await openDatabase(database);
    await fill(bot, 0, 40);
    // As a kill leaves it.
    await mkdir(join(folder, 'killed'));
    for (const end of ['', '-wal']) await copyFile(file + end, killed + end);
    await bot.destroy();
    await symlink(killed, join(folder, 'latest'));
    await restoreDatabase(database, join(folder, 'latest'));
    expect(countRows(file)).toEqual({ count: 40, integrity: 'ok' });
  });

  it.runIf(process.getuid?.() === 0)(
    'leaves the database to the user of the bot where root restores it',
    async () => {
      const file = join(folder, 'troupe.db');
      await (await openDatabase(database)).destroy();
      const copy = join(folder, 'copy.db');
      await copied(copy);
      const owners = async () => {
        const stats = await Promise.all(['', '-lock'].map((end) => stat(file + end)));
        return stats.map(({ uid, gid }) => [uid, gid]);
      };
      await chown(file, stranger, stranger);
      expect((await runHere('restore', {}, [copy])).status).toBe(0);
      expect(await owners()).toEqual([
        [stranger, stranger],
        [stranger, stranger],
      ]);
      // Where there is none yet, its folder tells who runs the bot.
      for (const name of await readdir(folder)) if (name !== 'copy.db') await rm(join(folder, name));
      await chown(folder, stranger, stranger);
      expect((await runHere('restore', {}, [copy])).status).toBe(0);
      expect(await owners()).toEqual([
        [stranger, stranger],
        [stranger, stranger],
      ]);
    },
  );

  it('doesn’t apply a log to the copy if its database was deleted', async () => {
    const file = join(folder, 'troupe.db');
    const copy = join(folder, 'copy.db');
    const writer = await openDatabase(database);
    await copied(copy);
    await fill(writer, 0, 40);
    await copyFile(`${file}-wal`, join(folder, 'killed-wal'));
    await writer.destroy();
    await rm(file);
    await copyFile(join(folder, 'killed-wal'), `${file}-wal`);
    const { status, out } = await runHere('restore', {}, [copy]);
    expect([status, out]).toEqual([0, `${copy} is the database now. Start the bot.\n`]);
    expect(countRows(file)).toEqual({ count: 0, integrity: 'ok' });
  });

  it('sends no render again that was sent after the copy was made', async () => {
    const bot = await openDatabase(database);
    const place = { platform: 'console', workspace: 'w', channel: 'c' } as const;
    const requester = {
      id: 'ann',
      name: 'Ann',
      locale: 'en',
      administrator: false,
      moderator: false,
    } as const;
    const renders = new RenderStore(bot, () => 0, 'p');
    const states = ['reserved', 'submitting', 'waiting', 'ready', 'failed'] as const;
    for (const id of states) {
      const job = { id, command: 'video', options: {}, address: place, requester, createdAt: 0 } as const;
      await createJobs(bot).add(job, id);
      const message = { ...place, message: 'm' };
      await renders.add([
        {
          job: id,
          part: 1,
          parts: 1,
          kind: 'video',
          request: JSON.stringify({ prompt: 'a cat' }),
          conversationId: 'x',
          message,
          createdAt: 0,
        },
      ]);
      await renders.change(id, { state: id });
    }
    const copy = join(folder, 'copy.db');
    await copied(copy);
    await renders.change('reserved', { state: 'waiting', taskId: 'task' });
    await bot.destroy();
    await restoreDatabase(database, copy);
    const restored = await openDatabase(database);
    const now = new RenderStore(restored, () => 0, 'p');
    const after = await Promise.all(states.map(async (id) => (await now.find(id))?.state));
    expect(after).toEqual(['uncertain', ...states.slice(1)]);
    // Their answers have ended since, too.
    expect(await createJobs(restored).unfinished()).toEqual([]);
    await restored.destroy();
  });

  it.each([
    ['an empty file', () => ''],
    ['another database', () => 'create table notes (note text)'],
  ])('takes %s for no copy', async (_, made) => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    await writeFile(copy, '');
    const other = new DatabaseSync(copy);
    other.exec(made());
    other.close();
    await expect(restoreDatabase(database, copy)).rejects.toThrow(`${copy}: this isn’t a troupe database`);
    await (await openDatabase(database)).destroy();
    expect((await readdir(folder)).filter((name) => /former|restoring/.test(name))).toEqual([]);
  });

  it('changes nothing while the bot runs, or if the copy is invalid', async () => {
    const writer = await openDatabase(database);
    await fill(writer, 0, 10);
    const copy = join(folder, 'copy.db');
    await copied(copy);
    const held = await run('restore', {}, [copy]);
    expect(held).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/another process is using it/),
    });
    await fill(writer, 10, 20);
    await writer.destroy();
    await writeFile(copy, 'no database at all, but long enough to look like one'.repeat(100));
    const damaged = await runHere('restore', {}, [copy]);
    expect(damaged).toMatchObject({ status: 1, err: expect.stringMatching(/copy\.db: the file is damaged/) });
    expect(countRows(join(folder, 'troupe.db')).count).toBe(20);
    expect((await readdir(folder)).filter((name) => /copy\.db.|restoring/.test(name))).toEqual([]);
  });

  it('takes no other program’s place', async () => {
    const writer = await openDatabase(database);
    await fill(writer, 0, 1);
    await writer.destroy();
    const copy = join(folder, 'copy.db');
    await copied(copy);
    const other = join(folder, 'other.db');
    const theirs = new DatabaseSync(other);
    theirs.exec('create table customers (name text)');
    theirs.close();
    const before = await readFile(other);
    expect(await runHere('restore', { DATABASE_URL: `sqlite:${other}` }, [copy])).toEqual({
      status: 1,
      out: '',
      err: `sqlite:${other}: this isn’t a troupe database\n`,
    });
    expect(await readFile(other)).toEqual(before);
    expect((await readdir(folder)).filter((name) => /former|restoring/.test(name))).toEqual([]);
  });

  it('takes no place that another program has locked, so that nobody can tell whose it is', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    await copied(copy);
    const other = join(folder, 'other.db');
    const theirs = new DatabaseSync(other);
    onTestFinished(() => theirs.close());
    theirs.exec('pragma locking_mode = exclusive; create table customers (name text)');
    expect(await runHere('restore', { DATABASE_URL: `sqlite:${other}` }, [copy])).toEqual({
      status: 1,
      out: '',
      err: `sqlite:${other}: another process is using it; stop that process first\n`,
    });
    expect((await readdir(folder)).filter((name) => /former|restoring/.test(name))).toEqual([]);
  });

  it('takes no folder’s place, such as that of the database', async () => {
    await (await openDatabase(database)).destroy();
    const copy = join(folder, 'copy.db');
    await copied(copy);
    const data = join(folder, 'data');
    await mkdir(data);
    expect(await runHere('restore', { DATABASE_URL: `sqlite:${data}` }, [copy])).toEqual({
      status: 1,
      out: '',
      err: `sqlite:${data}: it isn’t a file; DATABASE_URL has to name one\n`,
    });
    expect((await stat(data)).isDirectory()).toBe(true);
    expect((await readdir(folder)).filter((name) => name.startsWith('data'))).toEqual(['data']);
  });

  it.each([
    ['backup', 'pg_dump --format=custom --file='],
    ['restore', 'pg_restore --no-owner --exit-on-error --dbname='],
  ])('%s names PostgreSQL’s own program for its databases, and not the password', async (name, program) => {
    const address = { DATABASE_URL: 'postgres://troupe:secret@127.0.0.1:9/troupe?sslpassword=secret&a=%27' };
    const { status, out, err } = await runHere(name, address, [join(folder, 'copy')]);
    expect([status, out, err]).toEqual([1, '', expect.stringContaining(program)]);
    // Not the variable either: the shell would put what’s in it among the arguments, which `ps` shows to everybody.
    expect(err).not.toContain('$');
    expect(err).toContain("'postgres://troupe@127.0.0.1:9/troupe?a=%27'");
    expect(err).toContain('~/.pgpass');
    expect(err).not.toContain('secret');
  });

  it('says what it needs', async () => {
    expect((await runHere('restore')).err).toBe('usage: npm run restore -- FILE\n');
    const nowhere = join(folder, 'nowhere.db');
    expect((await runHere('restore', {}, [nowhere])).err).toBe(`${nowhere}: no such file\n`);
  });
});

describe('npm run slack:manifest', () => {
  it('prints the manifest, also while other settings are still missing', async () => {
    const { out } = await runHere('slack-manifest', {
      SLACK_COMMAND_PREFIX: 'acme-',
      SLACK_APP_TOKEN: 'xapp-1',
    });
    const manifest = JSON.parse(out) as { settings: object; features: { slash_commands: object[] } };
    expect(manifest.settings).toMatchObject({ socket_mode_enabled: true });
    expect(manifest.features.slash_commands[0]).toMatchObject({ command: '/acme-ask' });
  });

  it('prints the one for HTTP mode at an https address alone', async () => {
    const { out } = await run('slack-manifest', {}, ['--url', 'https://bot.example.com']);
    expect(JSON.parse(out)).toMatchObject({ settings: { socket_mode_enabled: false } });
    const refused = await runHere('slack-manifest', {}, ['--url', 'http://bot.example.com']);
    expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining('https://') });
  });

  it.each([
    [['https://bot.example.com'], 'usage'],
    [['--url'], 'usage'],
    [['--prefix', 'acme-'], 'usage'],
    [['--url', 'https://'], '--url'],
    [['--url', 'https://bot example.com'], '--url'],
    [['--url', 'https:/bot.example.com'], '--url'],
  ])('tells what it takes, given %j', async (given, about) => {
    const { status, out, err } = await runHere('slack-manifest', {}, given);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(new RegExp(`^${about}: .+\n$`));
  });
});

describe('npm run discord:invite', () => {
  it('prints the link of the token’s application', async () => {
    const discord = await FakeDiscord.start();
    onTestFinished(() => discord.close());
    const settings = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
    const { out } = await run('discord-invite', settings);
    expect(new URL(out.trim()).searchParams.get('client_id')).toBe(discord.world.applicationId);
    const refused = await runHere('discord-invite', {
      ...settings,
      DISCORD_TOKEN: 'not-a-token-at-all.secret',
    });
    expect(refused).toMatchObject({ status: 1, out: '', err: expect.stringContaining('npm run doctor') });
    expect(refused.err).not.toContain('secret');
  });

  it('says that it needs a token', async () => {
    expect((await runHere('discord-invite')).err).toMatch(/^DISCORD_TOKEN: missing/);
  });
});

describe('npm run migrate-to-postgres', () => {
  const address = { DATABASE_URL: 'postgres://troupe:secret@127.0.0.1:9/troupe' };

  it('says what it needs, and what is wrong, without the password', async () => {
    const usage = /^usage: DATABASE_URL=postgres:/;
    expect((await runHere('migrate-to-postgres')).err).toMatch(usage);
    expect((await runHere('migrate-to-postgres', address, ['troupe.db'])).err).toMatch(usage);
    expect((await runHere('migrate-to-postgres', address, [database])).err).toMatch(/there is no database/);
    await (await openDatabase(database)).destroy();
    const { status, out, err } = await runHere('migrate-to-postgres', address, [database]);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(/\npostgres:\/\/127\.0\.0\.1:9\/troupe: the server doesn’t answer/);
    expect(err).not.toContain('secret');
  });

  it('says which key every process needs, without showing it', async () => {
    const file = join(folder, 'troupe.db');
    const first = await openDatabase(database);
    const vault = vaultOf(database, undefined);
    const token = vault.seal('xoxb-1', 'slack installation T1');
    await openKeyv(first, 'slack').set('installation T1', { token });
    await first.destroy();
    const key = (await readFile(`${file}.key`, 'utf8')).trim();
    const { out } = await run('migrate-to-postgres', { DATABASE_URL: await freshPostgres() }, [database]);
    expect(out).toContain(`echo "ENCRYPTION_KEY=$(cat '${file}.key')" >> .env`);
    expect(out).not.toContain(key);
    const known = { DATABASE_URL: await freshPostgres(), ENCRYPTION_KEY: key };
    expect((await runHere('migrate-to-postgres', known, [database])).out).not.toContain('ENCRYPTION_KEY');
  });
});
