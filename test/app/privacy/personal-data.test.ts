import { expect, it } from 'vitest';
import { PersonalData } from '../../../src/app/privacy/personal-data.ts';
import type { Address } from '../../../src/port/index.ts';
import { openKeyv } from '../../../src/store/index.ts';
import { adapterWith } from '../../fakes/adapter.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { openMigrated } from '../../fakes/database.ts';
import { databases } from '../../fakes/postgres/index.ts';

const day = 86_400_000;

it.each(databases)(
  'what was spent later on what was asked before is nobody’s, on $name',
  async ({ fresh }) => {
    const clock = new FakeClock(10 * day);
    const database = await openMigrated(await fresh());
    const address = { platform: 'slack', workspace: 'T', channel: 'C' } as const;
    const nothing = async () => {};
    const data = new PersonalData({
      database,
      keyv: openKeyv(database, 'erasures', () => clock.now()),
      conversations: { drop: nothing, answerTo: async () => undefined },
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
    const job = (id: string, createdAt: number) => ({
      ...{ id, event_id: id, command: 'imagine', options: '{}', state: 'done' as const, person: 'U' },
      ...{ address: JSON.stringify(address), requester: '{"id":"U"}', created_at: createdAt },
    });
    const call = (ofJob: string) => ({
      ...{
        ...address,
        channel: ofJob === 'before.2' ? 'D' : 'C',
        id: `call of ${ofJob}`,
        job: ofJob,
        thread: null,
        person: 'U',
        person_name: 'ada',
      },
      ...{ conversation_id: '', kind: 'image' as const, model: '', quantity: '{}', state: 'spent' as const },
      ...{ estimated: 0, low: 0, high: 0, request_id: null, settled_at: null, created_at: clock.now() + 2 },
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
    await database.destroy();
  },
);
