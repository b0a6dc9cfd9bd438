import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Vault } from '../../src/secrets/vault.ts';
import { openDatabase, openKeyv } from '../../src/store/index.ts';
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
      found: `${later} will be created at the first start`,
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('and finds one whole, while the bot runs or not', async () => {
    const database = await openDatabase(url);
    expect(await check()).toEqual({ subject: 'database', found: `${url} is whole` });
    await database.destroy();
    expect(await check()).toEqual({ subject: 'database', found: `${url} is whole` });
  });

  it('and tells that one of an older version will be changed', async () => {
    await (await openDatabase(url)).destroy();
    change("delete from kysely_migration where name like '0004%' or name like '0005%'");
    expect(await check()).toEqual({
      subject: 'database',
      found: `${url} is whole; 2 table changes will be made at the next start`,
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
      mend: 'fix that, or set DATABASE_URL to another file',
    });
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

  it('and reports tokens encrypted with another key', async () => {
    const database = await openDatabase(url);
    const about = 'slack installation team T1';
    const token = new Vault({ secret: undefined, file: join(folder, 'troupe.db.key') }).seal('xoxb-1', about);
    await openKeyv(database, 'slack').set('installation team T1', { token });
    await database.destroy();
    const tokens = async (more = {}) =>
      (await findings({ DATABASE_URL: url, ...more })).get('tokens of installations');
    expect(await tokens()).toMatchObject({ found: '1 can be decrypted' });
    await rm(join(folder, 'troupe.db.key'));
    expect(await tokens()).toMatchObject({
      found: expect.stringMatching(/^ENCRYPTION_KEY: .*key file .* isn.t there; put it back/),
      mend: expect.any(String),
    });
  });
});
