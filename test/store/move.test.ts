import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { chunkBytes } from '../../src/store/database-files.ts';
import {
  createJobs,
  type Database,
  databaseFiles,
  moveToPostgres,
  openDatabase,
  openKeyv,
} from '../../src/store/index.ts';
import { Cable, emptyPostgres, freshPostgres } from '../fakes/postgres/index.ts';
import { jobCalled, ledgerRow, renderRow } from '../fakes/records.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let folder: string;
let from: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  from = `sqlite:${join(folder, 'troupe.db')}`;
});

const nobody = async () => 0;
const move = (to: string) => moveToPostgres({ from, to, livingOn: nobody });

async function within<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url);
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

const count = async (database: Database, table: string) =>
  (await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(database)).rows[0]
    ?.count;

/** Does something before each row that is added to a table. */
async function before(url: string, table: string, what: string): Promise<void> {
  const body = `begin ${what}; return new; end`;
  await within(url, async (database) => {
    await sql`create function meddle() returns trigger as ${sql.lit(body)} language plpgsql`.execute(
      database,
    );
    await sql`create trigger before_insert before insert on ${sql.table(table)}
      for each row execute function meddle()`.execute(database);
  });
}

const jobOf = (id: string) => jobCalled(id, { options: { prompt: `你好 ${id}` }, createdAt: 5 });

/** Something in every table that refers to another, and what SQLite takes and PostgreSQL doesn't. */
async function fill(database: Database): Promise<void> {
  const jobs = createJobs(database);
  for (const id of ['z', 'a', 'm']) await jobs.add(jobOf(id), `event ${id}`);
  await openKeyv(database, 'conversation').set('a', { turns: ['a lone \ud83d half, a \0 zero'] });
  await database
    .insertInto('renders')
    .values(renderRow('z', { task_id: 'task', waited_ms: 12.6 }))
    .execute();
  const call = ledgerRow('z', { job: 'z', low: 1_000_001, high: 3_000_000_000_000 });
  await database.insertInto('ledger').values(call).execute();
  await database.updateTable('console_revision').set({ value: 41 }).execute();
}

describe('moving to PostgreSQL', () => {
  it('copies every row, in order, and the files that wait', async () => {
    await within(from, fill);
    const large = Buffer.alloc(chunkBytes * 2 + 5, 'x');
    for (const kind of ['spool', 'console-files']) await mkdir(join(folder, kind));
    await writeFile(join(folder, 'spool', 'z'), large);
    await writeFile(join(folder, 'spool', 'half.part'), 'half');
    await writeFile(join(folder, 'console-files', 'empty'), '');

    const to = await emptyPostgres();
    const moved = await move(to);
    expect(moved.tables.get('jobs')).toBe(3);
    expect(moved.files).toEqual({ count: 2, bytes: large.length });
    expect(moved.ledger).toEqual({ low: 1_000_001, high: 3_000_000_000_000 });

    await within(to, async (database) => {
      const jobs = await createJobs(database).unfinished();
      expect(jobs.map(({ id }) => id)).toEqual(['z', 'a', 'm']);
      expect(await createJobs(database).find('a')).toMatchObject(jobOf('a'));
      const { turns } = (await openKeyv(database, 'conversation').get('a')) as { turns: string[] };
      expect(turns[0]).toMatch(/^a lone .+ half, a .+ zero$/);
      const render = await database.selectFrom('renders').selectAll().executeTakeFirstOrThrow();
      expect(render).toMatchObject({ task_id: 'task', waited_ms: 13, part: 1 });
      const { value } = await database.selectFrom('console_revision').selectAll().executeTakeFirstOrThrow();
      expect(value).toBe(41);
      const files = databaseFiles(database);
      const read = async (content: AsyncIterable<Uint8Array>) =>
        Buffer.concat(await Array.fromAsync(content));
      expect((await read(files('spool').read('z'))).equals(large)).toBe(true);
      expect(await read(files('console-files').read('empty'))).toEqual(Buffer.alloc(0));
      expect(await files('spool').has('half.part')).toBe(false);
      // What comes later comes after.
      await createJobs(database).add(jobOf('b'), 'event b');
      expect((await createJobs(database).unfinished()).map(({ id }) => id)).toEqual(['z', 'a', 'm', 'b']);
    });
    await within(from, async (database) => expect(await count(database, 'jobs')).toBe(3));
  });

  it('leaves what Litestream has in the file', async () => {
    await within(from, async (database) => {
      await fill(database);
      await sql`create table _litestream_seq (id integer primary key, seq integer)`.execute(database);
      await sql`insert into _litestream_seq values (1, 7)`.execute(database);
    });
    const { tables } = await move(await emptyPostgres());
    expect(tables.get('jobs')).toBe(3);
    expect([...tables.keys()].filter((name) => name.startsWith('_'))).toEqual([]);
  });

  it('takes no database that has something, and changes nothing there', async () => {
    await within(from, fill);
    const to = await freshPostgres();
    await within(to, (database) => openKeyv(database, 'notes').set('a', 'b'));
    await expect(move(to)).rejects.toThrow(/isn’t empty \(keyv\)/);
    await within(to, async (database) => expect(await count(database, 'jobs')).toBe(0));
  });

  it('moves nothing while a bot runs, on either', async () => {
    const to = await freshPostgres();
    await within(from, async (database) => {
      await fill(database);
      await expect(move(to)).rejects.toThrow(/another process is using it/);
    });
    await expect(moveToPostgres({ from, to, livingOn: async () => 1 })).rejects.toThrow(
      /a bot is running on it/,
    );
    await within(to, async (database) => expect(await count(database, 'jobs')).toBe(0));
  });

  it('can be begun again after it failed half-way', async () => {
    await within(from, fill);
    await mkdir(join(folder, 'spool'));
    await writeFile(join(folder, 'spool', 'z'), 'result');
    const to = await freshPostgres();
    // Files come last: by then all rows are there.
    await before(to, 'files', "raise exception 'no room'");
    await expect(move(to)).rejects.toThrow(/no room/);
    await within(to, async (database) => {
      expect(await count(database, 'jobs')).toBe(0);
      await sql`drop trigger before_insert on files`.execute(database);
    });
    expect((await move(to)).tables.get('jobs')).toBe(3);
  });

  it.each(['keyv', 'ledger', 'files'])('keeps nothing if not all of %s has arrived', async (table) => {
    await within(from, fill);
    await mkdir(join(folder, 'spool'));
    await writeFile(join(folder, 'spool', 'z'), 'result');
    const to = await freshPostgres();
    await before(to, table, 'return null');
    await expect(move(to)).rejects.toThrow(new RegExp(`not all has arrived \\(${table}`));
    await within(to, async (database) => expect(await count(database, 'jobs')).toBe(0));
  });

  it('keeps nothing where the connection ends with all of it copied', async () => {
    await within(from, fill);
    const to = await emptyPostgres();
    const cable = await Cable.to(to);
    onTestFinished(() => cable.close());
    cable.lose(/analyze/, 1);
    await expect(move(cable.url)).rejects.toThrow('the server doesn’t answer');
    expect((await move(to)).tables.get('jobs')).toBe(3);
  });

  it('is done where only the answer to that is lost', async () => {
    await within(from, fill);
    const to = await freshPostgres();
    const cable = await Cable.to(to);
    onTestFinished(() => cable.close());
    // Each connection sets `synchronous_commit`.
    const livingOn = async () => {
      cable.lose(/(?<!_)commit\b/, 1);
      return 0;
    };
    const moved = await moveToPostgres({ from, to: cable.url, livingOn });
    expect(moved.tables.get('jobs')).toBe(3);
    await within(to, async (database) => expect(await count(database, 'jobs')).toBe(3));
  });

  it('keeps out a bot that starts meanwhile', async () => {
    await within(from, fill);
    const to = await freshPostgres();
    const begin = (bot: Database) =>
      bot.transaction().execute(async (transaction) => {
        await sql`set local lock_timeout = 100`.execute(transaction);
        await sql`insert into processes values ('late', '[]', 1, 1)`.execute(transaction);
      });
    const livingOn = () =>
      within(to, (bot) => expect(begin(bot)).rejects.toThrow(/lock timeout/)).then(() => 0);
    await moveToPostgres({ from, to, livingOn });
    await within(to, begin);
  });

  it('says what is wrong with either, without its password', async () => {
    await expect(move(await freshPostgres())).rejects.toThrow(/troupe\.db: there is no database/);
    await within(from, fill);
    const away = 'postgres://troupe:secret@127.0.0.1:9/troupe';
    const failure = await move(away).catch((error: Error) => error.message);
    expect(failure).toMatch(/^postgres:\/\/127\.0\.0\.1:9\/troupe: the server doesn’t answer/);
  });

  it('copies what is longer than memory should hold, in batches', async () => {
    await within(from, async (database) => {
      await sql`
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
        insert into keyv (key, value, expires) select 'k' || i, '"x"', i from n`.execute(database);
    });
    const to = await freshPostgres();
    expect((await move(to)).tables.get('keyv')).toBe(20_000);
  });
});
