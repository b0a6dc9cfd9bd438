import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, databaseFileWatch, openDatabase, openKeyv } from '../../../src/store/index.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
let file: string;
let database: Database;
let fault: () => Promise<string | undefined>;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'a.db');
  database = await openDatabase(`sqlite:${file}`);
  fault = databaseFileWatch(`sqlite:${file}`);
});
afterEach(() => database.destroy());

it('says nothing while the file is the one that was opened', async () => {
  expect(await fault()).toBeUndefined();
});

it('says that the file was deleted, though the database still takes writes', async () => {
  await rm(file);
  await database.insertInto('keyv').values({ key: 'a', value: '1', expires: null }).execute();
  expect(await fault()).toMatch(/a\.db was deleted or replaced/);
});

it('says that another file took its place', async () => {
  await copyFile(file, `${file}.copy`);
  await rename(`${file}.copy`, file);
  expect(await fault()).toMatch(/was deleted or replaced/);
});

it('says that the log was deleted, whose content a stop still saves', async () => {
  await openKeyv(database, 'notes').set('note', 'before');
  await Promise.all(['-wal', '-shm'].map((end) => rm(file + end)));
  expect(await fault()).toMatch(/a\.db-wal was deleted or replaced.*Stop troupe/);
  await openKeyv(database, 'notes').set('note', 'after');
  await database.destroy();
  database = await openDatabase(`sqlite:${file}`);
  expect(await openKeyv(database, 'notes').get('note')).toBe('after');
});

it('removes what a killed restore or a killed first use of the key has left of a copy or a key', async () => {
  await database.destroy();
  const left = ['.restoring', '.restoring-wal', '.restoring-shm', '.key.new'].map((end) => file + end);
  for (const one of left) await writeFile(one, 'a part');
  await writeFile(`${file}.key`, 'the key');
  database = await openDatabase(`sqlite:${file}`);
  expect((await readdir(folder)).toSorted()).toEqual([
    'a.db',
    'a.db-lock',
    'a.db-lock-journal',
    'a.db-shm',
    'a.db-wal',
    'a.db.key',
  ]);
});

it('opens though there’s what it can’t remove, such as another user’s in a shared folder', async () => {
  await database.destroy();
  await mkdir(`${file}.restoring`);
  database = await openDatabase(`sqlite:${file}`);
  const notes = openKeyv(database, 'notes');
  await notes.set('note', 'kept');
  expect(await notes.get('note')).toBe('kept');
});

it('says nothing of a log that was emptied into the database', async () => {
  await sql`pragma wal_checkpoint(truncate)`.execute(database);
  expect(await fault()).toBeUndefined();
});

it('leaves a backup as it is that was put in its place while it was open', async () => {
  const note = (text: string) => openKeyv(database, 'notes').set('note', text);
  await note('of the backup');
  await database.destroy();
  await copyFile(file, `${file}.copy`);
  database = await openDatabase(`sqlite:${file}`);
  await note('of later');
  await rename(`${file}.copy`, file);
  await note('after that');
  await database.destroy();
  database = await openDatabase(`sqlite:${file}`);
  expect(await openKeyv(database, 'notes').get('note')).toBe('of the backup');
});

it('keeps each log whose database was replaced', async () => {
  const sizes: number[] = [];
  for (const text of ['a', 'b'.repeat(10_000)]) {
    await copyFile(file, `${file}.copy`);
    await openKeyv(database, 'notes').set('note', text);
    sizes.push((await stat(`${file}-wal`)).size);
    await rename(`${file}.copy`, file);
    await database.destroy();
    database = await openDatabase(`sqlite:${file}`);
  }
  const kept = ['', '-2'].map(async (end) => (await stat(`${file}-wal.former${end}`)).size);
  expect(await Promise.all(kept)).toEqual(sizes);
});

it('has nothing to watch where the database is in memory', async () => {
  expect(await databaseFileWatch('sqlite::memory:')()).toBeUndefined();
});
