import { inspect } from 'node:util';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isLocal } from '../../src/lib/local-faults.ts';
import { type Database, isOfDatabase, openDatabase, takeTurn } from '../../src/store/index.ts';
import { postgresDialect } from '../../src/store/postgres/driver.ts';
import { freshPostgres, Pooler, Postgres } from '../fakes/postgres/index.ts';

async function open(url: string): Promise<Database> {
  const database = await openDatabase(url);
  onTestFinished(() => database.destroy());
  return database;
}

const note = (database: Database, key: string) =>
  database.insertInto('keyv').values({ key, value: '1', expires: null }).execute();
const keys = async (database: Database) =>
  (await database.selectFrom('keyv').select('key').orderBy('key').execute()).map(({ key }) => key);
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a PostgreSQL database', () => {
  it('gives numbers for numbers, sums and counts', async () => {
    const database = await open(await freshPostgres());
    const row = await sql`
      select 9007199254740991::bigint as large, sum(value) as sum, count(*) as count, 1.5::numeric as fraction
      from (values (1::bigint), (2::bigint)) as of (value)`.execute(database);
    expect(row.rows).toEqual([{ large: 9007199254740991, sum: 3, count: 2, fraction: 1.5 }]);
  });

  it('stores text with a zero character, which PostgreSQL refuses, without it', async () => {
    const database = await open(await freshPostgres());
    await note(database, 'a\0b');
    expect(await keys(database)).toEqual(['a\uFFFDb']);
  });

  it.each([
    ['too many clients', '53300'],
    ['an administrator ends the connection', '57P01'],
    ['the server starts', '57P03'],
    ['it can only be read', '25006'],
    ['the connection stood still in a transaction', '25P03'],
    ['its disk is full', '53100'],
    ['a lock isn’t free in time', '55P03'],
  ])('is waited for where %s (%s)', async (_, code) => {
    const database = await open(await freshPostgres());
    const failure = await failureOf(
      sql.raw(`do $$ begin raise 'x' using errcode = '${code}'; end $$`).execute(database),
    );
    expect([isLocal(failure), isOfDatabase(failure)]).toEqual([true, true]);
    expect(await keys(database)).toEqual([]);
  });

  it('has what it confirms on its disk, whatever the server or role is set up for', async () => {
    const url = await freshPostgres();
    const name = new URL(url).pathname.slice(1);
    const setting = async (value: string) => {
      await sql.raw(`alter database "${name}" set synchronous_commit = ${value}`).execute(await open(url));
      const { rows } = await sql`show synchronous_commit`.execute(await open(url));
      return rows;
    };
    for (const value of ['off', 'local', 'on'])
      expect(await setting(value)).toEqual([{ synchronous_commit: 'on' }]);
    expect(await setting('remote_apply')).toEqual([{ synchronous_commit: 'remote_apply' }]);
  });

  it.each(['transaction_timeout', 'idle_session_timeout'])(
    'ends by its own limits alone, whatever the server or role is set up for (%s)',
    async (limit) => {
      const url = await freshPostgres();
      const name = new URL(url).pathname.slice(1);
      await sql.raw(`alter database "${name}" set ${limit} = '30s'`).execute(await open(url));
      const { rows } = await sql`select current_setting(${limit}) as now`.execute(await open(url));
      expect(rows).toEqual([{ now: '0' }]);
    },
  );

  it.each(['repeatable read', 'serializable'])(
    'shows whoever has waited for their turn what those before them have written, where it’s set up for %s',
    async (level) => {
      const url = await freshPostgres();
      const name = new URL(url).pathname.slice(1);
      const setting = sql.raw(`alter database "${name}" set default_transaction_isolation = '${level}'`);
      await setting.execute(await open(url));
      const database = await open(url);
      const inTurn = async <T>(work: (transaction: Database) => Promise<T>) =>
        database.transaction().execute(async (transaction) => {
          await takeTurn(transaction, 'budgets');
          return work(transaction);
        });
      const isWaiting = async () => {
        const waiting = sql`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
        return (await waiting.execute(database)).rows.length > 0;
      };
      let seen: Promise<readonly string[]> | undefined;
      await inTurn(async (transaction) => {
        seen = inTurn(keys);
        await expect.poll(isWaiting).toBe(true);
        await note(transaction, 'spent');
      });
      expect(await seen).toEqual(['spent']);
    },
  );

  it('writes what was used of limits to no log, for which each write would wait', async () => {
    const database = await open(await freshPostgres());
    const kind = await sql<{ kind: string }>`
      select relpersistence as kind from pg_class where oid = 'rates'::regclass`.execute(database);
    expect(kind.rows).toEqual([{ kind: 'u' }]);
  });

  it('where nothing more may connect is told apart at the start, and waited for in work', async () => {
    const url = await freshPostgres();
    const database = await open(url);
    const name = new URL(url).pathname.slice(1);
    await sql.raw(`alter database "${name}" connection limit 0`).execute(database);
    await sql.raw(`create role limited_${name} login`).execute(database);
    onTestFinished(async () => void (await sql.raw(`drop role limited_${name}`).execute(database)));
    const address = new URL(url);
    address.username = `limited_${name}`;
    await expect(openDatabase(address.href)).rejects.toThrow('the server has no connection left');
    // A start takes two, and waits for the second one.
    await sql.raw(`alter database "${name}" connection limit -1`).execute(database);
    await sql.raw(`alter role limited_${name} connection limit 1`).execute(database);
    address.searchParams.set('connect_timeout', '1');
    await expect(openDatabase(address.href)).rejects.toThrow('the server has no connection left');
  });

  it('does its work over the connections it has where the server gives no more', async () => {
    const url = await freshPostgres();
    const database = await open(url);
    const role = `few_${new URL(url).pathname.slice(1)}`;
    await sql.raw(`create role ${role} login connection limit 3`).execute(database);
    await sql.raw(`grant all on all tables in schema public to ${role}`).execute(database);
    onTestFinished(async () => {
      await sql.raw(`drop owned by ${role}`).execute(database);
      await sql.raw(`drop role ${role}`).execute(database);
    });
    const address = new URL(url);
    address.username = role;
    const limited = await open(address.href);
    const answers = Array.from({ length: 30 }, () => sql`select pg_sleep(0.02)`.execute(limited));
    expect(await Promise.all(answers)).toHaveLength(30);
    await limited.destroy();
  });

  it('makes a statement again that collided with others', async () => {
    const url = await freshPostgres();
    const name = new URL(url).pathname.slice(1);
    // It notices soon that they wait for each other.
    await sql.raw(`alter database "${name}" set deadlock_timeout = '50ms'`).execute(await open(url));
    const database = await open(url);
    await note(database, 'a');
    await note(database, 'b');
    const touch = (transaction: Database, key: string) =>
      transaction.updateTable('keyv').set({ value: '2' }).where('key', '=', key).execute();
    // The statement outside holds b and waits for a; the transaction holds a and waits for b.
    await sql`create function slowly() returns trigger as $$ begin perform pg_sleep(0.2); return new; end $$ language plpgsql`.execute(
      database,
    );
    await sql`create trigger slowly after update on keyv for each row execute function slowly()`.execute(
      database,
    );
    const both = [
      ['a', 'b'],
      ['b', 'a'],
    ].map(([first, second]) =>
      sql`with one as (update keyv set value = '3' where key = ${first} returning key)
        update keyv set value = '3' where key = ${second} and exists (select * from one)`.execute(database),
    );
    const transaction = database.transaction().execute((inside) => touch(inside, 'a'));
    expect(await Promise.allSettled([...both, transaction])).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'fulfilled' })),
    );
  });
});

describe('a PostgreSQL database that can’t be used', () => {
  let server: Postgres;
  let pooler: Pooler;
  beforeAll(async () => {
    server = await Postgres.start();
    await server.run(
      'create role stranger login',
      'create role sealed login',
      "create role guarded login password 'right'",
      'create database closed',
      "create database latin encoding 'LATIN1' locale_provider 'libc' locale 'C' template template0",
      'create database standby',
      'alter database standby set default_transaction_read_only = on',
    );
    pooler = await Pooler.start(server.url('closed'));
  });
  afterAll(async () => {
    pooler?.close();
    await server.close();
  });

  const at = (database: string, user = 'troupe:SeCret') => server.url(database, user);
  const faults: readonly (readonly [string, () => string, RegExp])[] = [
    ['a wrong password', () => at('closed', 'guarded:SeCret'), /refuses the user or the password/],
    ['no password', () => at('closed', 'guarded'), /refuses the user or the password/],
    ['no such database', () => at('missing'), /there is no such database; create it/],
    ['no right to create tables', () => at('closed', 'stranger:SeCret'), /may not create tables/],
    ['another encoding', () => at('latin'), /its encoding isn’t UTF8/],
    ['a standby server', () => at('standby'), /can’t be written to; .*primary server/],
    ['encrypted connections only', () => at('closed', 'sealed:SeCret'), /add \?sslmode=require/],
    ['a pooler in transaction mode', () => pooler.url, /a pooler gives .* to other clients in between/],
    ['no encryption', () => `${at('closed')}?sslmode=require`, /doesn’t encrypt connections/],
    [
      'a certificate that isn’t there',
      () => `${at('closed')}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
      /a file named in DATABASE_URL .* can’t be read/,
    ],
    ['nobody there', () => 'postgres://me:SeCret@127.0.0.1:1/x?password=SeCret', /the server doesn’t answer/],
    ['no such server', () => 'postgres://me:SeCret@server.invalid/x', /the server doesn’t answer/],
  ];
  it.each(faults)('says so: %s, and nothing secret', async (_, url, sentence) => {
    const error = await failureOf(openDatabase(url()));
    expect(error).toMatchObject({ name: 'DatabaseError', message: expect.stringMatching(sentence) });
    expect(inspect(error, { depth: 5, showHidden: true })).not.toContain('SeCret');
  });
});

describe('a PostgreSQL server that goes away', () => {
  let server: Postgres;
  let url: string;
  let count = 0;
  beforeAll(async () => {
    server = await Postgres.start();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    const name = `away_${++count}`;
    await server.run(`create database ${name}`);
    url = server.url(name);
  });

  it.each(['stop', 'kill'] as const)(
    'is told at once after a %s, and used again as soon as it’s back',
    async (how) => {
      const database = await open(url);
      await note(database, 'a');
      await server[how]();
      for (const _ of [1, 2, 3]) {
        const error = await failureOf(note(database, 'b'));
        expect([isLocal(error), isOfDatabase(error)]).toEqual([true, true]);
      }
      expect(isLocal(await failureOf(database.transaction().execute((inside) => note(inside, 'c'))))).toBe(
        true,
      );
      await server.start();
      await note(database, 'd');
      expect(await keys(database)).toEqual(['a', 'd']);
    },
  );

  it('ends a transaction and nothing else', async () => {
    const database = await open(url);
    const work = database.transaction().execute(async (inside) => {
      await note(inside, 'a');
      await server.kill();
      await server.start();
      await note(inside, 'b');
    });
    expect(isLocal(await failureOf(work))).toBe(true);
    expect(await keys(database)).toEqual([]);
  });

  it('isn’t noticed by who reads, and begins, when it’s back', async () => {
    const database = await open(url);
    await Promise.all(Array.from({ length: 10 }, (_, index) => note(database, `${index}`)));
    await server.kill();
    await server.start();
    const reads = Array.from({ length: 10 }, () => keys(database));
    expect((await Promise.all(reads)).map(({ length }) => length)).toEqual(Array(10).fill(10));
  });

  it('and swallows everything is given up after some seconds, and doesn’t spoil what comes after', async () => {
    await (await openDatabase(url)).destroy();
    const dialect = postgresDialect(url, undefined, { longestWaitForLock: 0, longestStatement: 2_000 });
    const database: Database = new Kysely({ dialect });
    onTestFinished(() => database.destroy());
    await note(database, 'a');
    server.freeze();
    const errors = await Promise.all([failureOf(note(database, 'b')), failureOf(keys(database))]);
    expect(errors.map(isLocal)).toEqual([true, true]);
    server.thaw();
    expect(await keys(database)).toContain('a');
  });
});
