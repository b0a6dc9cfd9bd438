import fs, { statfsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Vault } from '../../src/secrets/vault.ts';
import { fileKinds, lookInto, openDatabase, openKeyv, Processes } from '../../src/store/index.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { emptyPostgres, freshPostgres, Pooler } from '../fakes/postgres/index.ts';
import { findings } from './findings.ts';

let folder: string;
let url: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  url = `sqlite:${join(folder, 'troupe.db')}`;
});

const check = async (DATABASE_URL = url) => (await findings({ DATABASE_URL })).get('database');

function change(sql: string): void {
  const database = new DatabaseSync(join(folder, 'troupe.db'));
  database.exec(sql);
  database.close();
}

describe('the doctor looks at the database', () => {
  it('and leaves one that is not there yet to the bot', async () => {
    const later = `sqlite:${join(folder, 'deep', 'troupe.db')}`;
    expect(await check(later)).toEqual({
      subject: 'database',
      found: `${later} will be created at the first start.`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('and finds one whole, while the bot runs or not', async () => {
    const database = await openDatabase(url);
    expect(await check()).toEqual({ subject: 'database', found: `${url} is in good order.` });
    await database.destroy();
    expect(await check()).toEqual({ subject: 'database', found: `${url} is in good order.` });
  });

  it('and tells that one of an older version will be changed', async () => {
    await (await openDatabase(url)).destroy();
    change("delete from kysely_migration where name > '0001-first'");
    expect(await check()).toEqual({
      subject: 'database',
      found: `${url} is in good order. ${Object.keys(migrations).length - 1} table changes will be made at the next start.`,
    });
  });

  it('and refuses one of a newer version', async () => {
    await (await openDatabase(url)).destroy();
    change("insert into kysely_migration values ('9999-later', '2030-01-01')");
    expect(await check()).toMatchObject({
      found: expect.stringContaining('newer version'),
      mend: expect.any(String),
    });
  });

  it('and refuses one that is damaged', async () => {
    await writeFile(join(folder, 'troupe.db'), 'no database at all'.repeat(100));
    expect(await check()).toMatchObject({
      found: `${url}: the file is damaged; put a backup in its place: npm run restore -- BACKUP`,
      mend: 'fix that, or set DATABASE_URL to another database',
    });
  });

  it('and refuses a folder, as the start does', async () => {
    const refusal = `sqlite:${folder}: it isn’t a file; DATABASE_URL has to name one`;
    expect(await check(`sqlite:${folder}`)).toMatchObject({ found: refusal });
    await expect(openDatabase(`sqlite:${folder}`)).rejects.toThrow(refusal);
    expect(await readdir(folder)).toEqual([]);
  });

  it('and refuses the file of another program, which the bot leaves as it is', async () => {
    change('create table customers (id)');
    const refusal = `${url}: this isn’t a troupe database`;
    expect(await check()).toMatchObject({
      found: refusal,
      mend: 'fix that, or set DATABASE_URL to another database',
    });
    await expect(openDatabase(url)).rejects.toThrow(refusal);
    using database = new DatabaseSync(join(folder, 'troupe.db'));
    expect(database.prepare('select name from sqlite_master').all()).toEqual([{ name: 'customers' }]);
  });

  it('and refuses one of another program that uses Kysely, too', async () => {
    change('create table kysely_migration (name text, timestamp text); create table customers (id)');
    change("insert into kysely_migration values ('001_customers', '2020-01-01T00:00:00.000Z')");
    const refusal = `${url}: this isn’t a troupe database`;
    expect(await check()).toMatchObject({ found: refusal });
    await expect(openDatabase(url)).rejects.toThrow(refusal);
    using database = new DatabaseSync(join(folder, 'troupe.db'));
    expect(database.prepare("select name from sqlite_master where name like 'j%'").all()).toEqual([]);
  });

  it('and finds one fine in which only Litestream has made its tables', async () => {
    change('create table _litestream_seq (id integer primary key, seq integer)');
    change('create table _litestream_lock (id integer)');
    expect((await check())?.mend).toBeUndefined();
    await (await openDatabase(url)).destroy();
    expect(await check()).toEqual({ subject: 'database', found: `${url} is in good order.` });
  });

  it('and finds one fine whose tables a bot makes in the middle of the look', async () => {
    const made = join(folder, 'made.db');
    await (await openDatabase(`sqlite:${made}`)).destroy();
    using tables = new DatabaseSync(made);
    const statements = tables.prepare('select sql from sqlite_master where sql is not null').all();
    const first = "insert into kysely_migration values ('0001-first', '2020-01-01T00:00:00.000Z')";
    change('pragma journal_mode = wal');
    const { prepare } = DatabaseSync.prototype;
    let looks = 0;
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, query) {
      // Between the first question to the file's list of tables and the second.
      if (query.includes('sqlite_master') && ++looks === 2)
        change(['begin', ...statements.map((one) => String(one.sql)), first, 'commit'].join(';\n'));
      return prepare.call(this, query);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await check())?.mend).toBeUndefined();
    expect(looks).toBeGreaterThan(1);
  });

  it('and refuses one with a damaged page', async () => {
    await (await openDatabase(url)).destroy();
    const file = await open(join(folder, 'troupe.db'), 'r+');
    await file.write(Buffer.alloc(4_096, 7), 0, 4_096, 4 * 4_096);
    await file.close();
    expect((await check())?.found).toBe(
      `${url}: the file is damaged; put a backup in its place: npm run restore -- BACKUP`,
    );
  });

  it('and refuses one on a full disk, whether it’s there or not', async () => {
    const full = { found: `${url}: the disk is full` };
    const room = statfsSync(folder);
    const statfs = vi.spyOn(fs, 'statfsSync').mockReturnValue({ ...room, bavail: 200 });
    syncBuiltinESMExports();
    onTestFinished(() => {
      statfs.mockRestore();
      syncBuiltinESMExports();
    });
    expect(await check()).toMatchObject(full);
    await (await openDatabase(url)).destroy();
    expect(await check()).toMatchObject(full);
    // Some systems don't say.
    statfs.mockReturnValue({ ...room, blocks: 0, bavail: 0 });
    expect((await check())?.found).toBe(`${url} is in good order.`);
  });

  it('and refuses one that another program keeps to itself', async () => {
    const other = new DatabaseSync(join(folder, 'troupe.db'));
    onTestFinished(() => other.close());
    other.exec('create table own (value); begin exclusive');
    expect((await check())?.found).toBe(`${url}: another process is using it; stop that process first`);
  });

  it('and refuses a path where no file can be created', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await check(`sqlite:${join(folder, 'file', 'troupe.db')}`)).toMatchObject({
      found: expect.stringContaining('cannot be opened'),
      mend: expect.any(String),
    });
  });

  it('and refuses folders beside it where nothing that’s paid for could be kept', async () => {
    for (const kind of fileKinds) {
      const there = join(folder, kind);
      // As where the disk isn't there that it's on, or where it's another user's.
      await symlink(join(folder, 'nowhere'), there);
      expect(await check()).toMatchObject({
        found: `${there}: the bot can’t write into this folder; give it, with all that’s in it, to the bot’s user`,
        mend: expect.any(String),
      });
      await rm(there);
      await mkdir(there);
    }
    expect(await check()).toMatchObject({ found: `${url} will be created at the first start.` });
  });

  it('and reports tokens encrypted with another key', async () => {
    const database = await openDatabase(url);
    const about = 'slack installation team T1';
    const token = new Vault({ secret: undefined, file: join(folder, 'troupe.db.key') }).seal('xoxb-1', about);
    await openKeyv(database, 'slack').set('installation team T1', { token });
    await database.destroy();
    const tokens = async (more = {}) =>
      (await findings({ DATABASE_URL: url, ...more })).get('tokens of installations');
    expect(await tokens()).toMatchObject({ found: '1 can be decrypted.' });
    await rm(join(folder, 'troupe.db.key'));
    expect(await tokens()).toMatchObject({
      found: expect.stringMatching(/^ENCRYPTION_KEY: .*key file .* isn.t there; put it back/),
      mend: expect.any(String),
    });
  });
});

describe('the doctor looks at a PostgreSQL database', () => {
  // Without a service it would ask for one.
  const service = { SERVICE_BASE_URL: 'http://127.0.0.1:9/v1', SERVICE_API_KEY: 'sk-svc-test' };
  const look = (DATABASE_URL: string, more = {}) => findings({ ...service, DATABASE_URL, ...more });
  const shown = (address: string) => address.replace(/\/\/[^@]*@/, '//');

  it('and changes nothing there', async () => {
    const empty = await emptyPostgres();
    const changes = Object.keys(migrations).length;
    const expected = `is PostgreSQL 18.4. No processes of the bot are running on it. ${changes} table changes will be made at the next start.`;
    for (let time = 0; time < 2; time++)
      expect((await look(empty)).get('database')).toEqual({
        subject: 'database',
        found: `${shown(empty)} ${expected}`,
      });
  });

  it('and counts the processes that run on it', async () => {
    const shared = await freshPostgres();
    const database = await openDatabase(shared);
    onTestFinished(() => database.destroy());
    await new Processes(database).begin('here', new Map());
    await new Processes(database).begin('killed', new Map());
    await sql`update processes set seen_at = seen_at - 9000 where id = 'killed'`.execute(database);
    const found = async () => (await look(shared)).get('database')?.found;
    const expected = `${shown(shared)} is PostgreSQL 18.4. 1 process of the bot is running on it.`;
    expect(await found()).toBe(expected);
    // Of a version before this one.
    await sql`delete from kysely_migration where name = '0005-rates'`.execute(database);
    expect(await found()).toBe(`${expected} 1 table change will be made at the next start.`);
  });

  it('and finds what keeps the bot from using it', async () => {
    const shared = await freshPostgres();
    const database = await openDatabase(shared);
    await sql`drop role if exists doctor_guest`.execute(database);
    await sql`create role doctor_guest login`.execute(database);
    await database.destroy();
    const found = async (address: string) => (await look(address)).get('database');
    expect(await found(shared.replace('troupe@', 'doctor_guest@'))).toMatchObject({
      found: expect.stringContaining('the user may not create tables in it'),
      mend: 'fix that, or set DATABASE_URL to another database',
    });
    // Who may create tables needs no more rights.
    const empty = await emptyPostgres();
    await lookInto(empty, (one) => sql`grant create on schema public to doctor_guest`.execute(one));
    expect((await found(empty.replace('troupe@', 'doctor_guest@')))?.found).not.toContain('may not create');
    expect((await found(shared.replace(/[^/]+$/, 'nowhere')))?.found).toContain('there is no such database');
    expect((await found(`${shared}?options=-c%20search_path%3Dnowhere`))?.found).toContain(
      'no schema of its search_path is there',
    );
    const pooler = await Pooler.start(shared);
    onTestFinished(() => pooler.close());
    expect((await found(pooler.url))?.found).toContain(
      'a pooler gives this address’ connections to other clients in between, which loses signals and time limits',
    );
    const away = await found('postgres://troupe:secret@127.0.0.1:9/troupe');
    expect(away?.found).toBe(
      'postgres://127.0.0.1:9/troupe: the server doesn’t answer; check the address, and that the server runs',
    );
  });

  it('and finds that its disk is full', async () => {
    const empty = await emptyPostgres();
    await lookInto(empty, async (one) => {
      await sql`create function full_disk() returns event_trigger language plpgsql
        as $$ begin raise disk_full using message = 'could not extend file'; end $$`.execute(one);
      await sql`create event trigger full_disk on ddl_command_end execute function full_disk()`.execute(one);
    });
    expect((await look(empty)).get('database')).toMatchObject({ found: `${shown(empty)}: the disk is full` });
  });

  it('and compares the clocks', async () => {
    const shared = await freshPostgres();
    expect((await look(shared)).get('clock')).toBeUndefined();
    const now = Date.now;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => clock.mockRestore());
    expect((await look(shared)).get('clock')).toMatchObject({
      found: expect.stringMatching(/^This machine’s clock is [56]\d\.\d s ahead of the database server’s\.$/),
      caution: true,
    });
  });

  it('and warns of a server that flushes nothing to its disk, as the one of these tests', async () => {
    expect((await look(await freshPostgres())).get('durability')).toMatchObject({
      found: expect.stringContaining('fsync = off'),
      caution: true,
    });
  });

  it('and opens the tokens that are in it', async () => {
    const shared = await freshPostgres();
    const database = await openDatabase(shared);
    const secret = 'a key of thirty-two characters or more';
    const vault = new Vault({ secret, file: undefined });
    const token = vault.seal('xoxb-1', 'slack installation T1');
    await openKeyv(database, 'slack').set('installation T1', { token });
    await database.destroy();
    const tokens = async (ENCRYPTION_KEY: string) =>
      (await look(shared, { ENCRYPTION_KEY })).get('tokens of installations');
    expect(await tokens(secret)).toMatchObject({ found: '1 can be decrypted.' });
    expect(await tokens(`not ${secret}`)).toMatchObject({
      mend: 'set the right key: the bot won’t start without it',
    });
  });
});
