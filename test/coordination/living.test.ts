import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { coordinateOverPostgres, countLiving } from '../../src/coordination/postgres/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/store/index.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';

it('tools see how many processes live: those whose lock is held, not those that are only on record', async () => {
  const url = await freshPostgres();
  const database = await openDatabase(url);
  onTestFinished(() => database.destroy());
  const log = { warn: () => {}, info: () => {} };
  const process = await coordinateOverPostgres({
    settings: { connectionString: url },
    clock: systemClock,
    log,
  });
  for (const id of [process.process, 'killed'])
    await sql`insert into processes (id, platforms, started_at, seen_at) values (${id}, '[]', 1, 1)`.execute(
      database,
    );
  expect(await countLiving(database)).toBe(1);
  await process.close();
  await expect.poll(() => countLiving(database)).toBe(0);
});
