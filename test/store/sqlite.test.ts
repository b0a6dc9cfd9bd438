import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, explained, inspectDatabase, openDatabase } from '../../src/store/index.ts';
import { endsWithTest } from '../at-end.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { someoneElses, stranger } from '../foreign-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'troupe.db');
});

const open = async (url = `sqlite:${file}`) => {
  const database = await openDatabase(url);
  endsWithTest(() => database.destroy());
  return database;
};
const note = (database: Database, key: string, value = '1') =>
  database.insertInto('keyv').values({ key, value, expires: null }).execute();
const keys = async (database: Database) =>
  (await database.selectFrom('keyv').select('key').orderBy('key').execute()).map(({ key }) => key);

describe('a lock of another process', () => {
  let clock: FakeClock;
  let database: Database;
  let other: DatabaseSync;
  beforeEach(async () => {
    clock = new FakeClock();
    database = await openDatabase(`sqlite:${file}`, clock);
    // SQLite's locks hold between connections as they do between processes.
    other = new DatabaseSync(file);
    other.exec('begin immediate');
  });
  afterEach(async () => {
    other.close();
    await database.destroy();
  });

  it('is never waited for inside SQLite, where it would hold the event loop', async () => {
    const { rows } = await sql<{ timeout: number }>`pragma busy_timeout`.execute(database);
    expect(rows).toEqual([{ timeout: 0 }]);
  });

  it('is waited for by timers, and what waited is done when it is gone, each once and in order', async () => {
    const done: string[] = [];
    const work = ['a', 'b', 'c'].map((key) => note(database, key).then(() => done.push(key)));
    await settle();
    expect(done).toEqual([]);
    expect(clock.pending).toBe(1);
    await clock.advance(10_000);
    expect(done).toEqual([]);
    other.exec('commit');
    await clock.advance(250);
    await Promise.all(work);
    expect(done).toEqual(['a', 'b', 'c']);
    expect(await keys(database)).toEqual(['a', 'b', 'c']);
  });

  it('is met by a transaction as it begins, so that nothing of it is done twice', async () => {
    let runs = 0;
    const work = database.transaction().execute(async (transaction) => {
      runs += 1;
      await note(transaction, 'a');
      await note(transaction, 'b');
    });
    await clock.advance(5_000);
    expect(runs).toBe(0);
    other.exec('commit');
    await clock.advance(250);
    await work;
    expect(runs).toBe(1);
    expect(await keys(database)).toEqual(['a', 'b']);
  });

  it('that never goes is told in the end, and the next may try', async () => {
    const work = expect(note(database, 'a')).rejects.toThrow(/database is locked/);
    await clock.advance(30_000);
    await work;
    other.exec('commit');
    await note(database, 'b');
    expect(await keys(database)).toEqual(['b']);
  });
});

describe('a full disk', () => {
  it('is told by its own name, in a transaction too, and passes', async () => {
    const database = await open();
    const pages = async (count: string) => sql.raw(`pragma max_page_count = ${count}`).execute(database);
    await pages('1');
    const large = 'x'.repeat(1_000_000);
    await expect(note(database, 'a', large)).rejects.toThrow(/database or disk is full/);
    const transaction = database.transaction().execute(async (inside) => {
      await note(inside, 'b', large);
    });
    await expect(transaction).rejects.toThrow(/database or disk is full/);
    await pages('1000000');
    await database.transaction().execute((inside) => note(inside, 'c', large));
    expect(await keys(database)).toEqual(['c']);
  });
});

describe('many at once', () => {
  it('are served in their order, and leave the event loop its turns', async () => {
    const database = await open('sqlite::memory:');
    const order: number[] = [];
    let turns = 0;
    let counting = true;
    const count = () => {
      turns += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const many = Array.from({ length: 2_000 }, (_, index) => index);
    await Promise.all(
      many.map(async (index) => {
        await note(database, `key${index}`);
        order.push(index);
      }),
    );
    counting = false;
    expect(order).toEqual(many);
    expect(turns).toBeGreaterThan(50);
  });
});

describe('what is written at once', () => {
  /** What another process would find on the disk. */
  const onDisk = () => {
    const other = new DatabaseSync(file, { readOnly: true });
    const rows = other.prepare('select key from keyv order by key').all();
    other.close();
    return rows.map(({ key }) => String(key));
  };

  it('is on the disk before anybody hears of it, transactions and single writes alike', async () => {
    const database = await open();
    const heard = async (key: string, work: Promise<unknown>) => {
      await work;
      expect(onDisk()).toContain(key);
    };
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const key = `key${index}`;
        if (index % 3 > 0) return heard(key, note(database, key));
        return heard(
          key,
          database.transaction().execute((inside) => note(inside, key)),
        );
      }),
    );
    expect(onDisk()).toHaveLength(100);
  });

  it('spoils nothing else where one of it fails', async () => {
    const database = await open();
    const failing = database.transaction().execute(async (inside) => {
      await note(inside, 'c');
      throw new Error('changed my mind');
    });
    const work = [note(database, 'a'), note(database, 'a'), failing, note(database, 'b')];
    const outcomes = await Promise.allSettled(work);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(onDisk()).toEqual(['a', 'b']);
  });

  it('is taken back together where the disk is full, and everybody hears of it', async () => {
    const database = await open();
    await sql.raw('pragma max_page_count = 1').execute(database);
    const work = [note(database, 'a'), note(database, 'b', 'x'.repeat(1_000_000))];
    const outcomes = await Promise.allSettled(work);
    const found = onDisk();
    // What was told is what is there.
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([found.includes('a'), false]);
    expect(found).not.toContain('b');
  });
});

describe('a disk that is away', () => {
  /** Every call of SQLite's fails, as with a network disk that is away; ends where the function is called. */
  function takeAway(): () => void {
    const gone = () => {
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    };
    const spies = [
      ...(['exec', 'prepare'] as const).map((method) => vi.spyOn(DatabaseSync.prototype, method)),
      ...(['run', 'all'] as const).map((method) => vi.spyOn(StatementSync.prototype, method)),
    ];
    for (const spy of spies) spy.mockImplementation(gone);
    return () => {
      for (const spy of spies) spy.mockRestore();
    };
  }

  it('is told to all whose writes it took along, and to nobody else; then all goes on', async () => {
    const database = await openDatabase(`sqlite:${file}`, new FakeClock());
    const uncaught: unknown[] = [];
    const caught = (error: unknown) => void uncaught.push(error);
    process.on('unhandledRejection', caught);
    try {
      const failing = Promise.allSettled([note(database, 'a'), note(database, 'b')]);
      // The writes are made in this turn, and committed in the next.
      for (let step = 0; step < 20; step++) await Promise.resolve();
      const comeBack = takeAway();
      const refused = { status: 'rejected', reason: { message: 'disk I/O error' } };
      expect(await failing).toMatchObject([refused, refused]);
      await settle();
      comeBack();
      await note(database, 'c');
      expect(await keys(database)).toEqual(['c']);
      expect(uncaught).toEqual([]);
    } finally {
      process.off('unhandledRejection', caught);
      await database.destroy();
    }
  });
});

describe('the files of the database', () => {
  const modes = async () => {
    const names = await readdir(folder);
    const each = names.map(async (name) => [name, (await stat(join(folder, name))).mode & 0o777] as const);
    return Object.fromEntries(await Promise.all(each));
  };

  it('are for nobody else, nor is their folder', async () => {
    const before = process.umask(0o022);
    try {
      const deep = join(folder, 'data');
      const database = await openDatabase(`sqlite:${join(deep, 'troupe.db')}`);
      await note(database, 'a');
      expect((await stat(deep)).mode & 0o777).toBe(0o700);
      folder = deep;
      expect(await modes()).toEqual({
        'troupe.db': 0o600,
        'troupe.db-lock': 0o600,
        'troupe.db-lock-journal': 0o600,
        'troupe.db-shm': 0o600,
        'troupe.db-wal': 0o600,
      });
      await database.destroy();
    } finally {
      process.umask(before);
      folder = join(file, '..');
    }
  });

  it('are narrowed where a former version left them open; a folder that is shared stays as it is', async () => {
    await (await openDatabase(`sqlite:${file}`)).destroy();
    await chmod(file, 0o644);
    await chmod(folder, 0o755);
    await (await openDatabase(`sqlite:${file}`)).destroy();
    expect(await modes()).toMatchObject({ 'troupe.db': 0o600 });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);

    await chmod(folder, 0o755);
    await writeFile(join(folder, 'letter.txt'), 'not the bot’s');
    await (await openDatabase(`sqlite:${file}`)).destroy();
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });

  it('stay as they are where they’re another program’s', async () => {
    const theirs = new DatabaseSync(file);
    theirs.exec('create table one (two)');
    theirs.close();
    await chmod(file, 0o644);
    const before = await readFile(file);
    await expect(openDatabase(`sqlite:${file}`)).rejects.toThrow(/this isn’t a troupe database/);
    // A database says in its first bytes whether it has a log.
    expect(await readFile(file)).toEqual(before);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  it.each(['', '-wal', '-lock'])(
    'are not used where somebody else made one in a shared folder: %j',
    async (end) => {
      const made = await someoneElses(end);
      const refusal = `${made + end} belongs to another user of this machine`;
      await expect(openDatabase(`sqlite:${made}`)).rejects.toThrow(refusal);
      expect(() => inspectDatabase(`sqlite:${made}`)).toThrow(refusal);
      // Whose folder it is can do anything there.
      const own = join(folder, 'own.db');
      await writeFile(own, '');
      await chmod(folder, 0o777);
      if (process.getuid?.() === 0) for (const path of [own, folder]) await chown(path, stranger, stranger);
      await (await openDatabase(`sqlite:${own}`)).destroy();
    },
  );

  it('are claimed by what they are, whatever names lead to them', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    const link = join(elsewhere, 'link.db');
    // Made before the file is there: the first start may come by either name.
    await symlink(file, link);
    const first = await openDatabase(`sqlite:${link}`);
    await expect(openDatabase(`sqlite:${file}`)).rejects.toThrow(/another process is using it/);
    await symlink(folder, join(elsewhere, 'folder'));
    const way = join(elsewhere, 'folder', 'troupe.db');
    await expect(openDatabase(`sqlite:${way}`)).rejects.toThrow(/another process is using it/);
    await first.destroy();
    await (await openDatabase(`sqlite:${way}`)).destroy();
  });

  it('say what to check where SQLite can’t make its own beside them', () => {
    new DatabaseSync(file).exec('create table one (two)');
    // As where its folder is somebody else’s, which keeps nothing from root.
    const readOnly = new DatabaseSync(file, { readOnly: true });
    const write = () => {
      try {
        readOnly.exec('insert into one values (1)');
      } catch (error) {
        throw explained(error, `sqlite:${file}`);
      }
    };
    expect(write).toThrow(/check that its folder can be written to/);
  });
});
