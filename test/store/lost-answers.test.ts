import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Credits, type PaidCall } from '../../src/credits/index.ts';
import { RenderStore } from '../../src/renders/render-store.ts';
import { createJobs, type Database, openDatabase, Processes } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { Cable, freshPostgres } from '../fakes/postgres/index.ts';
import { jobCalled } from '../fakes/records.ts';
import { patience } from '../patience.ts';

let cable: Cable;
/** What's behind the cable, which loses answers. */
let database: Database;
/** Looks at the database by another way. */
let direct: Database;

beforeEach(async () => {
  const url = await freshPostgres();
  direct = await openDatabase(url);
  await new Processes(direct).begin('p', new Map());
  cable = await Cable.to(url);
  database = await openDatabase(cable.url);
  onTestFinished(async () => {
    await database.destroy();
    await direct.destroy();
    cable.close();
  });
});

const job = jobCalled('job', { command: 'imagine' });
const ids = async (table: 'jobs' | 'renders') =>
  (await direct.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id);

describe('a write whose answer is lost', () => {
  it('of a command: it’s on record once, and its event is its own', async () => {
    cable.lose(/insert into "jobs"/, 1);
    const jobs = createJobs(database, 'p');
    expect(await jobs.add(job, 'event')).toBe(true);
    expect(await jobs.add({ ...job, id: 'other' }, 'event')).toBe(false);
    expect(await ids('jobs')).toEqual(['job']);
  });

  it('of a command, twice: the caller is told, and the event can be answered later', async () => {
    cable.lose(/insert into "jobs"/, 2);
    const jobs = createJobs(database, 'p');
    await expect(jobs.add(job, 'event')).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY' });
    await vi.waitFor(async () => expect(await ids('jobs')).toEqual([]), patience);
    expect(await jobs.add({ ...job, id: 'again' }, 'event')).toBe(true);
  });

  it.each([
    ['once: it counts', 1, { id: 'job', command: 'ask', state: 'running', confirmed_in: 'yes' }],
    [
      'twice: the question stands again',
      2,
      { id: 'job', command: 'imagine', state: 'asked', confirmed_in: null },
    ],
  ])('of a yes, %s', async (_, count, left) => {
    const jobs = createJobs(database, 'p');
    await jobs.add(job, 'event', 'asked');
    const closed = { message: { ...job.address, message: 'm' }, shows: { text: 'Confirmed.' }, job: 'job' };
    const says = (event: string) => jobs.confirm('job', { command: 'ask', options: {} }, event, [closed]);
    // Each connection sets `synchronous_commit`.
    cable.lose(/(?<!_)commit\b/, count);
    expect(await says('yes').catch(({ code }) => code)).toBe(count === 1 ? true : 'ERR_POSTGRES_AWAY');
    const found = () =>
      direct.selectFrom('jobs').select(['id', 'command', 'state', 'confirmed_in']).execute();
    await vi.waitFor(async () => expect(await found()).toEqual([left]), patience);
    const closing = await direct.selectFrom('removals').select('job').execute();
    expect(closing).toEqual(count === 1 ? [{ job: 'job' }] : []);
    expect(await says('another yes')).toBe(count !== 1);
  });

  it.each([
    [1, ['job', 'job-2']],
    [2, []],
  ])('of a job’s renders, %i times: each is on record once, or none at all', async (count, left) => {
    await createJobs(database, 'p').add(job, 'event');
    cable.lose(/insert into "renders"/, count);
    const message = { ...job.address, message: 'm' };
    const render = { job: 'job', kind: 'image', request: {}, conversationId: 'x', message, createdAt: 1 };
    const parts = [1, 2].map((part) => ({ ...render, part, parts: 2 }));
    const [added] = await Promise.allSettled([new RenderStore(database, () => 1, 'p').add(parts as never)]);
    expect(added.status).toBe(count === 1 ? 'fulfilled' : 'rejected');
    await vi.waitFor(async () => expect((await ids('renders')).length).toBe(left.length), patience);
  });

  it('of a reservation: nothing is reserved; of its end: it counts once', async () => {
    await createJobs(database, 'p').add(job, 'event');
    const credits = new Credits({ database, clock: new FakeClock(), process: 'p' } as never);
    const call: PaidCall = {
      ...{ job, budgets: [], conversationId: 'x', model: 'image 2k', quantity: { images: 1 } },
      ...{ kind: 'image', estimate: { low: 5, high: 5 } },
    };
    const used = async () =>
      (await direct.selectFrom('budget_use').select('high').where('platform', '=', '').executeTakeFirst())
        ?.high;
    cable.lose(/commit/, 1);
    await expect(credits.reserve(call)).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY' });
    await vi.waitFor(async () => expect(await used()).toBe(0), patience);
    const reservation = await credits.reserve(call);
    cable.lose(/with changed/, 1);
    await reservation.settle({ credits: { low: 3, high: 3 } });
    await vi.waitFor(async () => expect(await used()).toBe(3_000_000), patience);
    const states = await direct.selectFrom('ledger').select(['state', 'high']).orderBy('high').execute();
    expect(states).toEqual([
      { state: 'failed', high: 0 },
      { state: 'spent', high: 3_000_000 },
    ]);
  });
});
