import { expect, it, onTestFinished } from 'vitest';
import { Deliveries } from '../../src/deliveries/index.ts';
import { LocalFaults } from '../../src/lib/local-faults.ts';
import {
  askedIn,
  type Job,
  type Message,
  type PlatformAdapter,
  PlatformError,
} from '../../src/port/index.ts';
import { createJobs, createLiveAnswers } from '../../src/store/index.ts';
import { adapterWith } from '../fakes/adapter.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { processesSharing } from '../fakes/coordination.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { doorsBy } from '../fakes/doors.ts';
import { jobCalled } from '../fakes/records.ts';
import { unwatched } from '../fakes/unwatched.ts';

const address = { platform: 'slack', workspace: 'w', channel: 'c' } as const;
const options = { prompt: 'hi', private: true };
const job = jobCalled('job1', { options, address, createdAt: new FakeClock().now() });

/** Two processes on one database, of which the first holds a private answer that its requester couldn't be sent. */
async function held() {
  const clock = new FakeClock();
  const share = processesSharing(clock);
  const database = await databaseOfTest();
  let takes = false;
  const allow = () => {
    takes = true;
  };
  const sent: Message[] = [];
  const posted = Promise.withResolvers<void>();
  const adapter = adapterWith({
    platform: 'slack',
    doors(job: Job) {
      return doorsBy(this as PlatformAdapter, job);
    },
    directMessages: async () => {
      if (!takes) throw new PlatformError('no-permission');
      return { ...address, channel: 'direct' };
    },
    post: async (_: unknown, message: Message) => {
      sent.push(message);
      await posted.promise;
      return { ...address, message: '1' };
    },
  });
  const processes = [share(), share()].map(
    (coordination) =>
      new Deliveries({
        ...{ database, coordination, clock, adapters: () => adapter, convert: async () => undefined },
        asked: (job) => askedIn(job, undefined),
        jobs: createJobs(database, coordination.process),
        answers: createLiveAnswers(database, coordination.process),
        files: { has: async () => false, remove: async () => {} } as never,
        troubles: new LocalFaults(),
        watch: unwatched(),
        log: { info: () => {}, warn: () => {} },
      }),
  );
  onTestFinished(async () => void (await Promise.all(processes.map((one) => one.close()))));
  const [first, second] = processes;
  if (!first || !second) throw new Error('two of them');
  await createJobs(database, 'process 1').add(job, 'event');
  await first.deliver(job, { text: 'the answer' }, async () => {
    throw new PlatformError('no-permission');
  });
  for (let turns = 0; (await first.heldOf(address, 'ann')).length === 0; turns++) {
    if (turns > 1_000) throw new Error('it isn’t held');
    if (!(await clock.runNext(60_000))) await settle();
  }
  return { clock, first, second, sent, posted, allow };
}

it('a held result that a person asks two processes for is shown once', async () => {
  const { first, second } = await held();
  const said: Message[] = [];
  const shown = Promise.withResolvers<void>();
  const say = async (message: Message) => {
    said.push(message);
    await shown.promise;
    return { ...address, message: '1' };
  };
  const asked = [second, first].map((process) => process.bringHeld(job, say));
  for (let turns = 0; turns < 20; turns++) await settle();
  shown.resolve();
  expect((await Promise.all(asked)).toSorted()).toEqual([false, true]);
  expect(said).toHaveLength(1);
});

it('one that a process sends after all isn’t shown by another', async () => {
  const { clock, first, second, sent, posted, allow } = await held();
  allow();
  await clock.advance(3_600_000);
  for (let turns = 0; turns < 50 && sent.length === 0; turns++) await settle();
  const said: Message[] = [];
  const asked = second.bringHeld(job, async (message) => {
    said.push(message);
    return { ...address, message: '1' };
  });
  for (let turns = 0; turns < 20; turns++) await settle();
  posted.resolve();
  expect(await asked).toBe(false);
  await first.close();
  expect([said, sent]).toMatchObject([[], [{}]]);
});
