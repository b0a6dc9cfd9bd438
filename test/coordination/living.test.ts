import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { countLiving } from '../../src/coordination/postgres.ts';
import { databaseNow } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';

it('tools see how many processes live: those that renew their leases, not those that are only on record', async () => {
  const database = await databaseOfTest(await freshPostgres());
  const seen = (id: string, ago: number, ended: number | null = null) =>
    sql`insert into processes (id, platforms, started_at, seen_at, ended_at)
      values (${id}, '[]', 1, ${databaseNow(database, -ago)}, ${ended})`.execute(database);
  await seen('here', 1_000);
  await seen('killed', 9_000);
  await seen('stopped', 1_000, 1);
  await seen('killed before the clock was set back', -3_600_000);
  expect(await countLiving(database)).toBe(1);
});
