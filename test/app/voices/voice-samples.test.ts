import { beforeEach, expect, it } from 'vitest';
import { VoiceSamples } from '../../../src/app/voices.ts';
import { BudgetExceededError, CooldownError, Credits } from '../../../src/credits/index.ts';
import { KeyedQueue } from '../../../src/lib/clock.ts';
import { createJobs, type Database, openKeyv } from '../../../src/store/index.ts';
import { personCalled, quickStudio } from '../../commands/support/stage.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { databaseOfTest } from '../../fakes/database.ts';
import { jobCalled } from '../../fakes/records.ts';

const clock = new FakeClock();
const voice = { id: 'v1', languages: ['en'] };
/** Credits that somebody may spend in a day; as many as they like where they aren't named. */
const budgets: Readonly<Record<string, number>> = { ann: 0.1, bob: 0.2, dave: 0.3 };

let database: Database;
let credits: Credits;
let samples: VoiceSamples;
let made: number;

beforeEach(async () => {
  database = await databaseOfTest();
  made = 0;
  const speech = {
    create: async ({ input: text }: { readonly input: string }) => {
      made += 1;
      const { bytes, contentType } = await quickStudio.speak({ text, format: 'mp3' } as never);
      return { bytes, contentType, format: 'mp3', requestId: `request${made}` };
    },
  };
  credits = new Credits({ database, clock });
  const keyv = openKeyv(database, 'voice-sample', () => clock.now());
  samples = new VoiceSamples({ keyv, service: { speech } as never, credits, locks: new KeyedQueue(), clock });
});

const cooldown = { milliseconds: 60_000, within: 'platform' } as const;

const orderOf = async (person: string, name = 'job') => {
  const requester = personCalled(person);
  const job = jobCalled(`${name} of ${person}`, { command: 'voices', requester });
  await createJobs(database).add(job, job.id);
  return { job, conversationId: 'conversation', budgets: [] };
};

const listen = async (person: string) => {
  const order = await orderOf(person);
  const most = budgets[person];
  const own = { of: 'user', within: 'platform', credits: most ?? 0, timeZone: 'UTC' } as const;
  return samples.of(voice, { ...order, budgets: most === undefined ? [] : [own] });
};

it('a sample that several ask for at once is refused to each by their own budget, and made for the first who can pay', async () => {
  const outcomes = await Promise.allSettled(['ann', 'bob', 'carol', 'erin'].map(listen));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(BudgetExceededError);
  expect(refusals.map(({ standing }) => standing.budget.credits)).toEqual([0.1, 0.2]);
  const rows = await database.selectFrom('ledger').select(['person', 'state']).execute();
  expect([made, rows]).toEqual([1, [{ person: 'carol', state: 'spent' }]]);
  expect((await listen('dave')).bytes.byteLength).toBeGreaterThan(100);
  expect(made).toBe(1);
});

it('a sample is refused to nobody for how long another person has to wait', async () => {
  const estimate = { low: 1, high: 1 };
  const earlier = { ...(await orderOf('ann', 'earlier')), kind: 'speech', model: 'v1' } as const;
  await credits.reserve({ ...earlier, quantity: {}, estimate });
  const waiting = samples.of(voice, { ...(await orderOf('ann')), cooldown });
  const outcomes = await Promise.allSettled([waiting, listen('carol')]);
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: expect.any(CooldownError) },
    { status: 'fulfilled' },
  ]);
});
