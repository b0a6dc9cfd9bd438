import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { afterRestore, begunBefore, createJobs, openDatabase } from '../../src/store/index.ts';
import { openMigrated } from '../fakes/database.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { jobCalled } from '../fakes/records.ts';

it.each([
  ['SQLite', () => openMigrated()],
  ['PostgreSQL', async () => openDatabase(await freshPostgres())],
])('%s: what waited when the copy was made may have been posted since', async (_, open) => {
  const database = await open();
  onTestFinished(() => database.destroy());
  const jobs = createJobs(database);
  const begins = async (id: string, createdAt: number) => {
    await jobs.add(jobCalled(id, { createdAt }), `event of ${id}`);
    const delivery = { job_id: id, message: '{}', created_at: createdAt };
    if (id !== 'running') await database.insertInto('deliveries').values(delivery).execute();
  };
  await begins('waits', 5);
  await begins('running', 7);
  const session = { key: 'discord::gateway session 0/1', value: '{}', expires: null };
  await database.insertInto('keyv').values(session).execute();
  expect((await begunBefore(database))('waits:ready')).toBeUndefined();
  // Another copy may have been restored before.
  for (let restores = 0; restores < 2; restores++)
    for (const statement of afterRestore) await sql.raw(statement).execute(database);
  await begins('later', 8);
  const began = await begunBefore(database);
  const keys = ['waits:ready', 'event of waits:0', 'running:ready', 'later:ready'];
  expect(keys.map(began)).toEqual([7, 7, undefined, undefined]);
  expect((await jobs.unfinished()).map(({ id }) => id)).toEqual(['later']);
  // Discord would send again what was answered since.
  const sessions = database.selectFrom('keyv').selectAll().where('key', '=', session.key);
  expect(await sessions.execute()).toEqual([]);
});
