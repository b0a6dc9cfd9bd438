import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { noMeter } from '../../src/lib/telemetry.ts';
import {
  type Database,
  DatabaseWatch,
  openDatabase,
  watchedDatabase,
  writeProbe,
} from '../../src/store/index.ts';
import { nodeSqliteDialect } from '../../src/store/sqlite/driver.ts';
import { FakeClock } from '../fakes/clock.ts';
import { databaseOfTest, migratedIn } from '../fakes/database.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let folder: string;
let database: Database;
let clock: FakeClock;
let probe: () => Promise<string | undefined>;
beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new FakeClock();
  database = await databaseOfTest(`sqlite:${join(folder, 'a.db')}`, clock);
  probe = writeProbe(database, clock);
});

describe('the readiness of the database', () => {
  it('is that it takes writes', async () => {
    expect(await probe()).toBeUndefined();
  });

  it('is missing while the disk is full, by name, and comes back with room', async () => {
    await sql`pragma max_page_count = 1`.execute(database);
    expect(await probe()).toBe('it can’t be written to: database or disk is full');
    await sql`pragma max_page_count = 1000000`.execute(database);
    await clock.advance(10_000);
    expect(await probe()).toBeUndefined();
  });

  it('is asked of the disk at most every ten seconds, however often it is asked for', async () => {
    await probe();
    await sql`pragma query_only = 1`.execute(database);
    expect(await probe()).toBeUndefined();
    await clock.advance(10_000);
    expect(await probe()).toMatch(/readonly/);
    clock.step(-3_600_000);
    await clock.advance(10_000);
    await sql`pragma query_only = 0`.execute(database);
    expect(await probe()).toBeUndefined();
  });

  it('is missing while another process has it locked, which is told after two seconds', async () => {
    const other = new DatabaseSync(join(folder, 'a.db'));
    other.exec('begin immediate');
    const asked = probe();
    await clock.advance(2_000);
    expect(await asked).toMatch(/another process has it locked/);
    other.close();
    await clock.advance(250);
    await clock.advance(10_000);
    expect(await probe()).toBeUndefined();
  });

  it('is missing for a minute where a part of the file is damaged, though its own write is made', async () => {
    await sql`create table notes as select hex(zeroblob(50000)) as text`.execute(database);
    await sql`pragma wal_checkpoint(truncate)`.execute(database);
    const { rows } = await sql<{ page: number }>`
      select rootpage as page from sqlite_master where name = 'notes'`.execute(database);
    const file = await open(join(folder, 'a.db'), 'r+');
    await file.write(Buffer.alloc(4_096, 'x'), 0, 4_096, ((rows[0]?.page ?? 0) - 1) * 4_096);
    await file.close();
    await expect(sql`select text from notes`.execute(database)).rejects.toThrow(/malformed/);
    expect(await probe()).toBe('it failed within the last minute: database disk image is malformed');
    await clock.advance(60_000);
    expect(await probe()).toBeUndefined();
  });
});

it('the readiness of a database whose commits can’t be brought to the disk says why, though nothing has it locked', async () => {
  let isReadOnly = true;
  const work = async () => {
    if (isReadOnly) throw new Error('EROFS: read-only file system, fdatasync');
  };
  const disk = { flush: work, checkpoint: work, length: async () => 0, close: async () => {} };
  const file = (await migratedIn(folder)).slice('sqlite:'.length);
  const watch = new DatabaseWatch(noMeter, clock);
  const readOnly = watchedDatabase(nodeSqliteDialect(file, { clock, watch, diskOf: () => disk }));
  const ask = writeProbe(readOnly, clock);
  const asked = ask();
  await clock.advance(2_000);
  expect(await asked).toBe('it failed within the last minute: EROFS: read-only file system, fdatasync');
  isReadOnly = false;
  await clock.advance(120_000);
  expect(await ask()).toBeUndefined();
  await readOnly.destroy();
});

describe('the readiness of a PostgreSQL database', () => {
  it('is that it takes writes, which are small; where it lets the write wait, that’s what is said', async () => {
    const url = await freshPostgres();
    const [postgres, other] = await Promise.all([openDatabase(url, clock), openDatabase(url, clock)]);
    onTestFinished(async () => void (await Promise.all([postgres.destroy(), other.destroy()])));
    const ask = writeProbe(postgres, clock);
    expect(await ask()).toBeUndefined();
    const [row] = await postgres
      .selectFrom('keyv')
      .select('value')
      .where('key', '=', 'write probe')
      .execute();
    expect(row?.value.length).toBeLessThan(100);
    await clock.advance(10_000);
    await other.transaction().execute(async (transaction) => {
      await sql`lock table keyv in access exclusive mode`.execute(transaction);
      const asked = ask();
      await clock.advance(2_000);
      expect(await asked).toBe('it doesn’t answer, or something there holds a lock');
    });
    await clock.advance(10_000);
    expect(await ask()).toBeUndefined();
  });

  // PostgreSQL 18 on a full tmpfs: what fits into a table's pages, and the log's files, is still written.
  it('is missing for a minute after a table couldn’t grow on a full disk, where a small write is still made', async () => {
    const postgres = await openDatabase(await freshPostgres(), clock);
    onTestFinished(() => postgres.destroy());
    const ask = writeProbe(postgres, clock);
    expect(await ask()).toBeUndefined();
    const failing = sql`do $$ begin raise disk_full using message = 'could not extend file'; end $$`;
    await expect(failing.execute(postgres)).rejects.toThrow('could not extend file');
    expect(await ask()).toBe('it failed within the last minute: could not extend file');
    clock.step(-3_600_000);
    await clock.advance(60_000);
    expect(await ask()).toBeUndefined();
  });
});
