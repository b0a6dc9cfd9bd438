import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { sharedTally } from '../../src/coordination/rates.ts';
import { openMigrated } from '../fakes/database.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';

it('counts for all processes, each name for itself, and forgets what is past', async () => {
  const url = await freshPostgres();
  const databases = await Promise.all([openMigrated(url), openMigrated(url)]);
  onTestFinished(async () => void (await Promise.all(databases.map((database) => database.destroy()))));
  const [one, other] = databases.map((database) => sharedTally(database)('refusals', 600_000));
  const another = sharedTally(databases[0])('refusals of others', 600_000);
  expect(await Promise.all([one?.add(3), other?.add(4), another.add(50)])).toContain(50);
  expect(await one?.add(0)).toBe(7);
  expect(await other?.add(1)).toBe(8);
  await sql`update rates set key = key || ' past', expire = expire - 600000`.execute(databases[0]);
  expect(await one?.add(0)).toBe(0);
  expect(await other?.add(2)).toBe(2);
  // The database's clock was set back by an hour.
  await sql`update rates set key = key || ' ahead', expire = expire + 3600000`.execute(databases[0]);
  expect(await one?.add(1)).toBe(1);
});
