import { CompiledQuery } from 'kysely';
import { expect, it, vi } from 'vitest';
import { PersonalData } from '../../../src/app/privacy/personal-data.ts';
import type { Address } from '../../../src/port/index.ts';
import { type Database, openKeyv } from '../../../src/store/index.ts';
import { adapterWith } from '../../fakes/adapter.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { databaseOfTest } from '../../fakes/database.ts';
import { databases } from '../../fakes/postgres/index.ts';
import { ledgerRow } from '../../fakes/records.ts';

const day = 86_400_000;

it.each(databases)(
  'what was spent later on what was asked before is nobody’s, on $name',
  async ({ fresh }) => {
    const clock = new FakeClock(10 * day);
    const database = await databaseOfTest(await fresh());
    const address = { platform: 'slack', workspace: 'T', channel: 'C' } as const;
    const data = dataIn(database, clock);
    const job = (id: string, createdAt: number) => ({
      ...{ id, event_id: id, command: 'imagine', options: '{}', state: 'done' as const, person: 'U' },
      ...{ address: JSON.stringify(address), requester: '{"id":"U"}', created_at: createdAt },
    });
    const call = (ofJob: string) =>
      ledgerRow(`call of ${ofJob}`, {
        ...{ ...address, channel: ofJob === 'before.2' ? 'D' : 'C', job: ofJob, person: 'U' },
        created_at: clock.now() + 2,
      });
    await database
      .insertInto('jobs')
      .values([job('before', clock.now()), job('later', clock.now() + 1)])
      .execute();
    await database.insertInto('ledger').values(['before', 'before.2', 'later'].map(call)).execute();
    await data.delete(address, 'U');
    await clock.advance(2 * day);
    await data.erase();
    const calls = await database
      .selectFrom('ledger')
      .select(['job', 'person', 'channel'])
      .orderBy('job')
      .execute();
    expect(calls.map(({ job: id, person, channel }) => `${id}: ${person} ${channel}`)).toEqual([
      'before:  C',
      'before.2:  ',
      'later: U C',
    ]);
  },
);

it('is read and deleted without reading what’s kept about others', async () => {
  const clock = new FakeClock(10 * day);
  const database = await databaseOfTest();
  const data = dataIn(database, clock);
  const executed = vi.spyOn(database.getExecutor(), 'executeQuery');
  for (const [platform, workspace] of [
    ['discord', 'S'],
    ['slack', 'T'],
  ] as const) {
    const address = { platform, workspace, channel: 'C' };
    await data.export(address, { id: 'U', name: 'ada' });
    await data.delete(address, 'U');
  }
  const queries = executed.mock.calls.map(([query]) => query);
  executed.mockRestore();
  const reads: string[] = [];
  for (const { sql, parameters } of queries) {
    const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await database.executeQuery<{ detail: string }>(plan);
    reads.push(...rows.map(({ detail }) => detail).filter((detail) => ofMany.test(detail)));
  }
  expect(reads.length).toBeGreaterThan(10);
  expect(reads.filter((read) => !/\((?:platform=\? AND )?(?:person|id|job)=\?/.test(read))).toEqual([]);
});

/** Reads of tables that have rows of everybody. */
const ofMany = /^(?:SEARCH|SCAN) (?:jobs|ledger|feedback|setting_changes) /;

/** What's kept about people, as far as tables have it. */
function dataIn(database: Database, clock: FakeClock): PersonalData {
  const nothing = async () => {};
  const conversations = {
    drop: nothing,
    answerTo: async () => undefined,
    ownThreads: { disown: nothing },
  };
  return new PersonalData({
    database,
    keyv: openKeyv(database, 'erasures', () => clock.now()),
    conversations,
    jobs: { named: async () => [] },
    forgottenAnswers: { forgetSaid: nothing },
    answers: { messagesOf: async () => [] },
    answerVersions: { forgetWritten: nothing },
    imageVersions: { forget: nothing },
    placeSettings: {} as never,
    firstContacts: { forget: nothing },
    audit: { forgetPerson: nothing },
    reports: { forgetPerson: nothing },
    adapters: () =>
      adapterWith({ meets: ({ channel }: Address) => (channel === 'D' ? 'person' : undefined) }),
    platforms: () => undefined,
    clock,
  });
}
