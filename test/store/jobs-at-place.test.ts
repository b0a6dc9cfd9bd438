import { CompiledQuery } from 'kysely';
import { expect, it, vi } from 'vitest';
import { createJobs, createLiveAnswers, type Database } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled } from '../fakes/records.ts';
import { addRender } from '../renders/support/postgres.ts';

it.each(databases)(
  'what’s under way is found by its thread, channel and workspace, on $name',
  async ({ fresh }) => {
    const database = await databaseOfTest(await fresh());
    const jobs = createJobs(database);
    const places = {
      'in the channel': { workspace: 'W', channel: 'C' },
      'in its thread': { workspace: 'W', channel: 'C', thread: 'T' },
      'in another channel': { workspace: 'W', channel: 'D' },
      'in another workspace': { workspace: 'X', channel: 'C', thread: 'T' },
      'that has ended': { workspace: 'W', channel: 'C' },
    };
    for (const [id, place] of Object.entries(places)) {
      await jobs.add(jobCalled(id, { address: { platform: 'discord', ...place } }), `event ${id}`);
    }
    await jobs.end('that has ended', 'done');
    const at = async (...place: Parameters<typeof jobs.at>) =>
      (await jobs.at(...place)).map(({ job }) => job.id).toSorted();
    expect(await at('discord', { workspace: 'W', channel: 'C', thread: 'T' })).toEqual(['in its thread']);
    expect(await at('discord', { workspace: 'W', channel: 'C' })).toEqual([
      'in its thread',
      'in the channel',
    ]);
    expect(await at('discord', { workspace: 'W' })).toEqual([
      'in another channel',
      'in its thread',
      'in the channel',
    ]);
    expect(await at('slack', { workspace: 'W' })).toEqual([]);
  },
);

it.each(databases)('what’s under way for two reasons is found once, on $name', async ({ fresh }) => {
  const database = await databaseOfTest(await fresh());
  // Its command runs, and its video is made.
  await addRender(database, { id: 'video', process: null });
  const found = await createJobs(database).at('discord', { workspace: 'w', channel: 'c' });
  expect(found.map(({ job }) => job.id)).toEqual(['video']);
});

it('of renders and jobs only those that aren’t over are read for it', async () => {
  const database = await databaseOfTest();
  const details = await plansOf(database, () =>
    createJobs(database).at('discord', { workspace: 'w', channel: 'c' }),
  );
  const { rows } = await database.executeQuery<{ name: string }>(
    CompiledQuery.raw(
      "select name from sqlite_schema where sql like '% on renders %where delivered is null%'",
    ),
  );
  const reads = details.filter((detail) => detail.includes(' renders '));
  expect(reads).toHaveLength(1);
  expect(rows.map(({ name }) => `SCAN renders USING INDEX ${name}`)).toContain(reads[0]);
  expect(details.filter((detail) => detail.includes(' jobs '))).toEqual([
    expect.stringContaining('(id=?)'),
    'SEARCH jobs USING INDEX jobs_state (state=?)',
  ]);
});

it('of messages only a channel’s are read to know whose it is', async () => {
  const database = await databaseOfTest();
  const details = await plansOf(database, () => createLiveAnswers(database).workspacesAt('discord', 'c'));
  expect(details[0]).toBe(
    'SEARCH answer_messages USING INDEX answer_messages_channel (platform=? AND channel=?)',
  );
});

/** How SQLite carries out what some work asks by one query. */
async function plansOf(database: Database, work: () => Promise<unknown>): Promise<readonly string[]> {
  const executed = vi.spyOn(database.getExecutor(), 'executeQuery');
  await work();
  const [[query] = [], ...more] = executed.mock.calls;
  executed.mockRestore();
  expect(more).toEqual([]);
  const plan = CompiledQuery.raw(`explain query plan ${query?.sql}`, [...(query?.parameters ?? [])]);
  const { rows } = await database.executeQuery<{ detail: string }>(plan);
  return rows.map(({ detail }) => detail);
}
