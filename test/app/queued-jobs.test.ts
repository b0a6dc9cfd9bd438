import { expect, it } from 'vitest';
import { queuedJobs } from '../../src/app/job-context.ts';
import { SharedTurns } from '../../src/conversation/index.ts';
import { createJobs } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { processesSharing } from '../fakes/coordination.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { jobCalled } from '../fakes/records.ts';

const call = { command: 'ask', options: { prompt: 'Tides' } };
const asks = (id: string) => jobCalled(id, call);

/** The jobs of so many processes, and which of them have a place in the queue, first to last. */
async function bot(count: number) {
  const database = await databaseOfTest();
  const clock = new FakeClock();
  const share = processesSharing(clock);
  const processes = [];
  for (let index = 0; index < count; index++) {
    const coordination = share();
    const { process } = coordination;
    const times = { started_at: 0, seen_at: 0, ended_at: null };
    await database
      .insertInto('processes')
      .values({ id: process, platforms: '[]', ...times })
      .execute();
    const turns = new SharedTurns({ database, coordination, clock });
    processes.push(queuedJobs(createJobs(database, process), turns, () => true));
  }
  const queue = async () => {
    const rows = await database
      .selectFrom('turns')
      .select(['job', 'process'])
      .orderBy('number')
      .orderBy('job')
      .execute();
    return rows.map(({ job, process }) => `${job} of ${process}`);
  };
  return { jobs: processes, queue };
}

it('a question that’s answered twice keeps the place in the queue that its first answer has', async () => {
  const { jobs, queue } = await bot(2);
  const [here, there] = jobs as [(typeof jobs)[0], (typeof jobs)[0]];
  const asked = asks('dear');
  await here.add(asked, 'event', 'asking');
  const answers = [here.confirm('dear', call, 'first'), here.confirm('dear', call, 'second')];
  expect(await Promise.all(answers)).toEqual([true, false]);
  expect(await here.add(asks('later'), 'event2')).toBe(true);
  const place = ['dear of process 1', 'later of process 1'];
  expect(await queue()).toEqual(place);
  // One that's recorded late, in whichever process, and what takes it back.
  expect(await here.confirm('dear', call, 'third')).toBe(false);
  expect(await there.confirm('dear', call, 'fourth')).toBe(false);
  await here.reopenConfirmation(asked, 'second');
  expect(await queue()).toEqual(place);
  await here.reopenConfirmation(asked, 'first');
  expect(await queue()).toEqual(place.slice(1));
  expect(await here.confirm('dear', call, 'fifth')).toBe(true);
  expect(await queue()).toEqual(place.toReversed());
});

it('an answer that comes after “No” has no place in the queue', async () => {
  const { jobs, queue } = await bot(1);
  const [here] = jobs as [(typeof jobs)[0]];
  await here.add(asks('dear'), 'event', 'asking');
  expect(await here.confirm('dear', undefined, 'no')).toBe(true);
  expect(await here.confirm('dear', call, 'yes')).toBe(false);
  expect(await queue()).toEqual([]);
});
