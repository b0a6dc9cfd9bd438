import { copyFileSync, existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DeliveryStore } from '../../src/deliveries/delivery-store.ts';
import { RenderStore } from '../../src/renders/render-store.ts';
import { watchedDatabase } from '../../src/store/database.ts';
import { type Database, inspectDatabase, lookInto, openDatabase } from '../../src/store/index.ts';
import { migrate, migrations } from '../../src/store/migrations/index.ts';
import type { Blocker } from '../../src/store/postgres/prepare.ts';
import { nodeSqliteDialect } from '../../src/store/sqlite/driver.ts';
import { databases, emptyPostgres, freshPostgres } from '../fakes/postgres/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function open(url: string): Promise<Database> {
  const database = await openDatabase(url);
  onTestFinished(() => database.destroy());
  return database;
}

const note = (database: Database, key: string) =>
  database.insertInto('keyv').values({ key, value: '1', expires: null }).execute();
const made = async (database: Database) =>
  (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database)).rows.map(
    ({ name }) => name,
  );
const pretend = (database: Database, name: string) =>
  sql`insert into kysely_migration (name, timestamp) values (${name}, '2020-01-01T00:00:00.000Z')`.execute(
    database,
  );

describe('a database from before the first release', () => {
  const sqliteFile = async () => join(await temporaryFolder(), 'troupe.db');
  async function former(file: string, change = ''): Promise<void> {
    const database = new DatabaseSync(file);
    database.exec(await readFile(new URL('before-release.sql', import.meta.url), 'utf8'));
    database.exec(change);
    database.close();
  }
  /** Every table with its columns, and every index with its own, in whatever order they were made. */
  async function tablesOf(database: Database): Promise<unknown> {
    const { rows } = await sql<{ table: string; column: string; index: string | null }>`
      select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'
      union select m.name, i.name || ' ' || ifnull(c.name, '') || c.seqno from sqlite_master m, pragma_index_list(m.name) i, pragma_index_info(i.name) c
      where m.type = 'table' and i.origin = 'c' order by 1, 2`.execute(database);
    return rows;
  }

  it('in its last state is adopted with all it holds', async () => {
    const file = await sqliteFile();
    await former(file);
    const url = `sqlite:${file}`;
    expect(inspectDatabase(url).pending).toBe(Object.keys(migrations).length);
    const database = await open(url);
    expect(await made(database)).toEqual(Object.keys(migrations));
    expect(await tablesOf(database)).toEqual(await tablesOf(await open('sqlite::memory:')));
    const here = { platform: 'discord', workspace: 'w', channel: 'c' } as const;
    const renders = new RenderStore(database, () => 0, 'p');
    expect(await renders.openAt(here)).toMatchObject([{ id: 'film', state: 'waiting' }]);
    expect(await renders.openOf(here, 'ann', 10)).toMatchObject([{ id: 'film' }]);
    const deliveries = new DeliveryStore({ database: database, files: {} as never, now: () => 0 });
    expect(await deliveries.heldOf(here, 'ann')).toEqual(['held']);
  });

  it('is left as it is where that fails', async () => {
    const file = await sqliteFile();
    await former(file, 'drop index renders_at');
    await expect(openDatabase(`sqlite:${file}`)).rejects.toThrow(/no such index/);
    const database = new DatabaseSync(file);
    onTestFinished(() => database.close());
    expect(database.prepare('select count(*) as count from kysely_migration').get()).toEqual({ count: 14 });
    expect(() => database.prepare('select person from jobs')).toThrow('no such column');
  });

  it('in an older state is refused, and is left as it is', async () => {
    const file = await sqliteFile();
    await former(file, "delete from kysely_migration where name > '0015'");
    const sentence = /before the first release; run the last one of those once, then this one/;
    expect(() => inspectDatabase(`sqlite:${file}`)).toThrow(sentence);
    await expect(openDatabase(`sqlite:${file}`)).rejects.toThrow(sentence);
  });
});

describe.each(databases)('two versions on one database on $name', ({ name, fresh }) => {
  const url = async () =>
    name === 'SQLite' ? `sqlite:${join(await temporaryFolder(), 'troupe.db')}` : fresh();

  it('the older one works on, and starts again, where the newer one has only added', async () => {
    const address = await url();
    const newer = await openDatabase(address);
    await pretend(newer, '0999-later');
    await sql`alter table keyv add column added text`.execute(newer);
    await note(newer, 'a');
    await newer.destroy();
    const older = await open(address);
    await note(older, 'b');
    expect(await older.selectFrom('keyv').select('key').orderBy('key').execute()).toEqual([
      { key: 'a' },
      { key: 'b' },
    ]);
    expect(await made(older)).toEqual([...Object.keys(migrations), '0999-later']);
    if (name === 'SQLite') expect(inspectDatabase(address)).toEqual({ exists: true, pending: 0 });
  });

  it('the older one refuses what a newer one has changed so that it can’t live with it', async () => {
    const address = await url();
    const newer = await openDatabase(address);
    await pretend(newer, '1001-else');
    await newer.destroy();
    await expect(openDatabase(address)).rejects.toThrow(/it was written by a newer version of troupe/);
  });
});

describe('on PostgreSQL', () => {
  it('ten processes that start at once make the tables once', async () => {
    const url = await emptyPostgres();
    const all = await Promise.all(Array.from({ length: 10 }, () => open(url)));
    for (const database of all) expect(await made(database)).toEqual(Object.keys(migrations));
    const { rows } = await sql`select value from console_revision`.execute(all[0] as Database);
    expect(rows).toEqual([{ value: 0 }]);
  });

  it('the tables are made in the schema of the address, whatever other programs have in theirs', async () => {
    const url = await emptyPostgres();
    await lookInto(url, async (one) => {
      await sql`create schema shop`.execute(one);
      await sql`create table shop.kysely_migration (name text, timestamp text)`.execute(one);
      await sql`create table shop.kysely_migration_lock (id text, is_locked integer)`.execute(one);
    });
    const database = await open(url);
    expect(await made(database)).toEqual(Object.keys(migrations));
    expect((await sql`select name from shop.kysely_migration`.execute(database)).rows).toEqual([]);
  });

  it('also where another program’s are in a schema that the search path comes to later', async () => {
    const url = await emptyPostgres();
    await lookInto(url, async (one) => {
      await sql`create schema troupe`.execute(one);
      await sql`create table public.kysely_migration (name text, timestamp text)`.execute(one);
      await sql`create table public.kysely_migration_lock (id text, is_locked integer)`.execute(one);
      await sql`insert into public.kysely_migration values ('2024-customers', '2024')`.execute(one);
    });
    const database = await open(`${url}?options=-c%20search_path%3Dtroupe,public`);
    expect(await made(database)).toEqual(Object.keys(migrations));
    expect((await sql`select name from public.kysely_migration`.execute(database)).rows).toHaveLength(1);
  });

  it('tables of an older version are changed where they are, though a schema before theirs was made since', async () => {
    const url = await emptyPostgres();
    const older = await openDatabase(url);
    await note(older, 'kept');
    const last = Object.keys(migrations).at(-1) ?? '';
    await sql`delete from kysely_migration where name = ${last}`.execute(older);
    await sql`drop index answer_messages_channel`.execute(older);
    await sql`create schema troupe`.execute(older);
    await older.destroy();
    const database = await open(`${url}?options=-c%20search_path%3Dtroupe,public`);
    expect(await database.selectFrom('keyv').select('key').execute()).toEqual([{ key: 'kept' }]);
    expect(await made(database)).toEqual(Object.keys(migrations));
    const found = sql<{
      schema: string;
    }>`select schemaname as schema from pg_tables where tablename = 'jobs'`;
    expect((await found.execute(database)).rows).toEqual([{ schema: 'public' }]);
  });

  it('the records of another program that uses Kysely aren’t mixed with the bot’s', async () => {
    const url = await emptyPostgres();
    await lookInto(url, async (one) => {
      await sql`create table kysely_migration (name text, timestamp text)`.execute(one);
      await sql`insert into kysely_migration values ('001_customers', '2024')`.execute(one);
    });
    await expect(openDatabase(url)).rejects.toThrow(/this isn’t a troupe database/);
  });

  it('a process works on while another one makes the tables of a newer version', async () => {
    const url = await emptyPostgres();
    const running = await open(url);
    await note(running, 'a');
    const newer = await open(url);
    await newer.transaction().execute(async (transaction) => {
      await sql`alter table jobs add column added text`.execute(transaction);
      await note(running, 'b');
    });
    expect(await running.selectFrom('jobs').selectAll().execute()).toEqual([]);
    expect(await running.selectFrom('keyv').select('key').orderBy('key').execute()).toHaveLength(2);
  });
});

describe('migrations', () => {
  /** The statements of a migration on PostgreSQL. */
  async function statementsOf(name: string): Promise<readonly string[]> {
    const statements: string[] = [];
    const database = new Kysely<unknown>({
      dialect: {
        createDriver: () => new DummyDriver(),
        createAdapter: () => new PostgresAdapter(),
        createQueryCompiler: () => new PostgresQueryCompiler(),
        createIntrospector: (one) => new PostgresIntrospector(one),
      },
      log: ({ query }: { readonly query: CompiledQuery }) => void statements.push(query.sql),
    });
    await migrations[name]?.up(database);
    return statements;
  }
  const breaking = /\b(?:drop|rename)\b|alter column \S+ (?!set storage)|add column (?!.*default).*not null/i;

  it.each(Object.keys(migrations))('%s only adds, so that the version before works on', async (name) => {
    const statements = await statementsOf(name);
    expect(statements).not.toEqual([]);
    expect(statements.filter((statement) => breaking.test(statement))).toEqual([]);
  });

  it('are made whole by the next start wherever a process died in the middle of them', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'troupe.db');
    let statements = 0;
    /** By how much had been written then: only that changes what a process leaves that dies before a statement. */
    const left = new Map<number, string>();
    const before: KyselyPlugin = {
      transformQuery({ node }) {
        statements += 1;
        const parts = ['', '-wal'].filter((end) => existsSync(file + end));
        const written = parts.reduce((sum, end) => sum + statSync(file + end).size, 0);
        const copy = join(folder, `${written}.db`);
        if (!left.has(written)) for (const end of parts) copyFileSync(file + end, copy + end);
        left.set(written, `sqlite:${copy}`);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const database = watchedDatabase(nodeSqliteDialect(file)).withPlugin(before);
    await migrate(database, `sqlite:${file}`);
    await database.destroy();
    expect(statements).toBeGreaterThan(Object.keys(migrations).length);
    for (const url of left.values()) {
      const next = await openDatabase(url);
      expect(await made(next)).toEqual(Object.keys(migrations));
      await next.destroy();
    }
  });

  it('would be told from one that takes something away', () => {
    for (const statement of [
      'drop table a',
      'alter table a rename b to c',
      'alter table a alter column b set not null',
      'alter table a add column b text not null',
    ])
      expect(breaking.test(statement)).toBe(true);
    for (const statement of [
      'alter table a add column b text',
      "alter table a add column b text not null default ''",
    ])
      expect(breaking.test(statement)).toBe(false);
  });
});

describe('a change of a table that a backup reads', () => {
  it('lets running processes go on, tells whom it waits for, and is made after that', async () => {
    const url = await freshPostgres();
    const running = await open(url);
    await note(running, 'a');
    // As it was before the newest version.
    await sql`alter table ledger drop column sent_at`.execute(running);
    await sql`delete from kysely_migration where name = '0008-sent-calls'`.execute(running);
    const backup = new Client({ connectionString: url, application_name: 'pg_dump' });
    await backup.connect();
    onTestFinished(() => backup.end());
    await backup.query('begin; lock table ledger in access share mode');
    const told: Blocker[] = [];
    const blocked = Promise.withResolvers<void>();
    const newer = openDatabase(url, undefined, undefined, (blockers) => {
      told.push(...blockers);
      blocked.resolve();
    });
    await blocked.promise;
    expect(told).toMatchObject([{ application: 'pg_dump' }]);
    // Its lock timeout is longer than the change waits.
    for (let looks = 0; looks < 5; looks++) await running.selectFrom('ledger').select('id').execute();
    await backup.query('commit');
    await (await newer).destroy();
    expect(await made(running)).toEqual(Object.keys(migrations));
  });
});
