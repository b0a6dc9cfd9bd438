import { once } from 'node:events';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeSqliteDialect } from '../../../src/store/sqlite/driver.ts';
import { type Disk, Flushes, longestLog, walOf } from '../../../src/store/sqlite/wal.ts';
import { FakeClock, settle } from '../../fakes/clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'troupe.db');
});

describe('a disk that takes its time', () => {
  /** Flushes and checkpoints under way, which the test ends. */
  let flushes: PromiseWithResolvers<void>[];
  let checkpoints: PromiseWithResolvers<void>[];
  let clock: FakeClock;
  let database: Kysely<{ notes: { note: string } }>;
  let heard: string[];
  let refused: unknown[];
  const write = (note: string) =>
    database
      .insertInto('notes')
      .values({ note })
      .execute()
      .then(
        () => heard.push(note),
        (error) => refused.push(error),
      );
  const committed = async () =>
    (await database.selectFrom('notes').select('note').execute()).map(({ note }) => note);

  beforeEach(async () => {
    [flushes, checkpoints, heard, refused] = [[], [], [], []];
    clock = new FakeClock();
    const begin = (list: PromiseWithResolvers<void>[]) => {
      const work = Promise.withResolvers<void>();
      list.push(work);
      return work.promise;
    };
    const disk: Disk = {
      flush: () => begin(flushes),
      checkpoint: () => begin(checkpoints),
      length: async () => 0,
      close: async () => {},
    };
    database = new Kysely({ dialect: nodeSqliteDialect(file, { clock, diskOf: () => disk }) });
    const made = sql`create table notes (note text)`.execute(database);
    await settle();
    flushes.shift()?.resolve();
    await made;
    await settle();
  });
  afterEach(async () => {
    for (const work of [...flushes, ...checkpoints]) work.resolve();
    await database.destroy();
  });

  it('holds up who wrote, and neither the event loop nor who reads', async () => {
    void write('a');
    await settle();
    expect(await committed()).toEqual(['a']);
    expect(heard).toEqual([]);
    flushes[0]?.resolve();
    await settle();
    expect(heard).toEqual(['a']);
  });

  it('holds up nobody who reads by a query that names another', async () => {
    void write('a');
    await settle();
    const read = database
      .with('some', (from) => from.selectFrom('notes').select('note'))
      .selectFrom('some')
      .select('note');
    let isAnswered = false;
    const reading = read.execute().finally(() => (isAnswered = true));
    await settle();
    const atOnce = isAnswered;
    for (let count = 0; count < flushes.length; count++) {
      flushes[count]?.resolve();
      await settle();
      await settle();
    }
    expect(await reading).toEqual([{ note: 'a' }]);
    expect(atOnce).toBe(true);
  });

  it('takes what is written meanwhile together, in one flush of its own', async () => {
    void write('a');
    await settle();
    void write('b');
    await settle();
    void write('c');
    await settle();
    expect(flushes).toHaveLength(1);
    flushes[0]?.resolve();
    await settle();
    await settle();
    expect(heard).toEqual(['a']);
    expect(flushes).toHaveLength(2);
    flushes[1]?.resolve();
    await settle();
    expect(heard).toEqual(['a', 'b', 'c']);
    expect(flushes).toHaveLength(2);
  });

  it('is waited for when the database is closed', async () => {
    void write('a');
    await settle();
    let closed = false;
    const closing = database.destroy().then(() => (closed = true));
    await settle();
    expect(closed).toBe(false);
    flushes[0]?.resolve();
    await closing;
    await settle();
    expect(heard).toEqual(['a']);
  });

  it('and fails gets all of it once more, until it has taken it: nobody hears of it before', async () => {
    void write('a');
    await settle();
    flushes[0]?.reject(new Error('EIO'));
    await settle();
    checkpoints[0]?.reject(new Error('EIO'));
    await clock.advance(999);
    expect(checkpoints).toHaveLength(1);
    await clock.advance(1);
    expect(checkpoints).toHaveLength(2);
    expect(heard).toEqual([]);
    checkpoints[1]?.resolve();
    await settle();
    expect([heard, refused]).toEqual([['a'], []]);
  });
});

describe('a log that has grown long', () => {
  let database: DatabaseSync;
  beforeEach(() => {
    database = new DatabaseSync(file);
    database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table notes (note text)');
  });
  afterEach(() => database.close());
  const length = async () => (await stat(`${file}-wal`)).size;

  it('is written into the database by another thread, while this one still has it open', async () => {
    database.prepare('insert into notes values (?)').run('x'.repeat(longestLog));
    const flushes = new Flushes(walOf(file), new FakeClock());
    for (let count = 0; count < 32; count++) await flushes.flush();
    await flushes.close();
    expect(await length()).toBe(0);
    expect((await stat(file)).size).toBeGreaterThan(longestLog);
    database.exec(`insert into notes values ('more')`);
    expect(database.prepare('select count(*) as count from notes').get()).toEqual({ count: 2 });
  });

  it('waits for another time where somebody is in the middle of writing', async () => {
    database.prepare('insert into notes values (?)').run('x'.repeat(9 * 1024 ** 2));
    database.exec(`begin immediate; insert into notes values ('more')`);
    const wal = walOf(file);
    await wal.checkpoint();
    expect(await length()).toBeGreaterThan(0);
    database.exec('commit');
    await wal.checkpoint();
    expect(await length()).toBe(0);
    await wal.close();
  });

  it('is not taken for written where another checkpoint goes on', async () => {
    database.exec(`insert into notes values ('a')`);
    const reader = new DatabaseSync(file);
    reader.exec('begin; select * from notes');
    database.exec(`insert into notes values ('b')`);
    // It waits for the reader, and keeps other checkpoints from running meanwhile.
    const other = new Worker(
      `const { DatabaseSync } = require('node:sqlite');
      const { workerData } = require('node:worker_threads');
      new DatabaseSync(workerData, { timeout: 60_000 }).exec('pragma wal_checkpoint(truncate)');`,
      { eval: true, workerData: file },
    );
    const over = once(other, 'exit');
    const passive = database.prepare('pragma wal_checkpoint(passive)');
    // This one takes the same lock for a moment: it leaves the other time to get in.
    while (passive.get()?.busy !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(walOf(file).checkpoint()).rejects.toThrow('could not be written');
    reader.close();
    await over;
  });

  it('is never written into another database that took the place of its own', async () => {
    const other = join(folder, 'backup.db');
    const backup = new DatabaseSync(other);
    backup.exec(
      `pragma journal_mode = wal; create table notes (note text); insert into notes values ('of old')`,
    );
    backup.close();
    const wal = walOf(file);
    database.exec(`insert into notes values ('of now'), ('and more')`);
    await rename(other, file);
    await expect(wal.checkpoint()).rejects.toThrow(/deleted or replaced/);
    database.close();
    await rm(`${file}-wal`);
    const restored = new DatabaseSync(file);
    expect(restored.prepare('select note from notes').all()).toEqual([{ note: 'of old' }]);
    restored.close();
    database = new DatabaseSync(':memory:');
  });

  it('is told where it cannot be written', async () => {
    await expect(walOf(join(folder, 'nowhere', 'troupe.db')).checkpoint()).rejects.toThrow(
      /deleted or replaced/,
    );
  });
});
