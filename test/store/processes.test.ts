import { beforeEach, describe, expect, it } from 'vitest';
import { Credits } from '../../src/credits/index.ts';
import type { Job, PlatformName } from '../../src/port/index.ts';
import { createJobs, type Database, nothingFound, Processes } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled, renderRow } from '../fakes/records.ts';

const everything = new Map<PlatformName, string>([
  ['slack', 'all'],
  ['discord', 'auto'],
]);

describe.each(databases)('the processes of a bot on $name', ({ name, fresh }) => {
  let database: Database;
  let processes: Processes;

  beforeEach(async () => {
    database = await databaseOfTest(await fresh());
    processes = new Processes(database);
  });

  const jobOf = (id: string, platform: PlatformName = 'slack') =>
    jobCalled(id, { address: { platform, workspace: 'w', channel: 'c' } });
  /** What a process put on record while it lived. */
  const add = async (process: string | null, job: Job, state: 'asked' | 'running' = 'running') => {
    await createJobs(database).add(job, `event of ${job.id}`, state);
    await database.updateTable('jobs').set({ process }).where('id', '=', job.id).execute();
  };
  const begin = (...ids: string[]) =>
    ids.reduce((all, id) => all.then(() => processes.begin(id, everything)), Promise.resolve());
  const ownerOf = async (id: string) =>
    (await database.selectFrom('jobs').select('process').where('id', '=', id).executeTakeFirst())?.process;
  const takeOver = (id: string, platforms: PlatformName[] = ['slack', 'discord']) =>
    processes.takeOver(id, platforms);
  /** Another process has begun and ended. */
  const dead = async (id: string) => {
    await begin(id);
    await processes.end(id);
  };

  it('know who lives', async () => {
    await dead('old');
    await begin('me');
    expect(await processes.living()).toEqual(new Set(['me']));
    await processes.end('me');
    expect(await processes.living()).toEqual(new Set());
  });

  it('take over the commands of a dead process, once and in their order, and no others', async () => {
    await dead('old');
    for (const id of ['c', 'a', 'b']) await add('old', jobOf(id));
    await add('old', jobOf('asked'), 'asked');
    await add('old', jobOf('done'));
    await createJobs(database, 'old').end('done', 'done');
    await add(null, jobOf('former'));
    await begin('me');
    await add('me', jobOf('mine'));
    const taken = await takeOver('me');
    expect(taken.jobs.map(({ id }) => id)).toEqual(['c', 'a', 'b', 'former']);
    expect(await ownerOf('a')).toBe('me');
    expect(await ownerOf('asked')).toBe('old');
    expect(await takeOver('me')).toEqual({ jobs: [], deliveries: [], renders: [] });
  });

  it('are told again what became theirs when the answer to that was lost', async () => {
    await dead('old');
    await add('old', jobOf('a'));
    await begin('me');
    await add('me', jobOf('mine'));
    const found = nothingFound();
    await processes.takeOver('me', ['slack'], found);
    expect((await processes.takeOver('me', ['slack'], found)).jobs.map(({ id }) => id)).toEqual(['a']);
    expect((await takeOver('me')).jobs).toEqual([]);
  });

  it('take over nothing where they run no platform', async () => {
    await dead('old');
    await add('old', jobOf('s'));
    await begin('me');
    expect(await takeOver('me', [])).toEqual({ jobs: [], deliveries: [], renders: [] });
    expect(await ownerOf('s')).toBe('old');
  });

  it('leave what they do not run to others that do', async () => {
    await dead('old');
    await add('old', jobOf('s', 'slack'));
    await add('old', jobOf('d', 'discord'));
    await begin('me');
    expect((await takeOver('me', ['discord'])).jobs.map(({ id }) => id)).toEqual(['d']);
    expect((await takeOver('me', ['slack'])).jobs.map(({ id }) => id)).toEqual(['s']);
  });

  it('take nothing once they were found dead themselves', async () => {
    await dead('old');
    await add('old', jobOf('a'));
    await dead('me');
    expect((await takeOver('me')).jobs).toEqual([]);
    expect(await ownerOf('a')).toBe('old');
  });

  it('take over deliveries and the renders that were in hand', async () => {
    await dead('old');
    for (const id of ['a', 'b', 'c']) await add('old', jobOf(id, id === 'c' ? 'discord' : 'slack'));
    const delivery = { message: '{}', created_at: 1 };
    await database
      .insertInto('deliveries')
      .values([
        { ...delivery, job_id: 'b', created_at: 2, process: 'old' },
        { ...delivery, job_id: 'a', process: 'old' },
        { ...delivery, job_id: 'c', process: 'old' },
      ])
      .execute();
    const render = (id: string, process: string | null, delivered: string | null = null) =>
      renderRow(id, { message: JSON.stringify(jobOf(id).address), delivered, process });
    await database
      .insertInto('renders')
      .values([render('a', 'old'), render('b', null), render('c', 'old', '{}')])
      .execute();
    await begin('me');
    const { deliveries, renders } = await takeOver('me', ['slack']);
    expect(deliveries).toEqual(['a', 'b']);
    expect(renders).toEqual(['a']);
  });

  it('end only commands that are still theirs', async () => {
    await dead('old');
    await add('old', jobOf('a'));
    await begin('me');
    await takeOver('me');
    await createJobs(database, 'old').end('a', 'done');
    expect(await createJobs(database).unfinished()).toHaveLength(1);
    await createJobs(database, 'me').end('a', 'failed');
    expect(await createJobs(database).unfinished()).toEqual([]);
  });

  it('have a command in hand that a person confirmed there', async () => {
    await dead('old');
    await add('old', jobOf('a'), 'asked');
    await begin('me');
    await createJobs(database, 'me').confirm('a', { command: 'ask', options: {} }, 'press');
    expect(await ownerOf('a')).toBe('me');
    expect((await takeOver('me')).jobs).toEqual([]);
  });

  it('settle what dead processes reserved, and nothing of the living', async () => {
    const clock = new FakeClock();
    const reserve = async (process: string, id: string) => {
      await add(process, jobOf(id));
      const reservation = await new Credits({ database, process, clock }).reserve({
        ...{ job: jobOf(id), budgets: [], conversationId: '', kind: 'chat', model: '', quantity: {} },
        estimate: { low: 1, high: 2 },
      });
      await reservation.sending.beforeSending();
    };
    await begin('old');
    await reserve('old', 'a');
    await processes.end('old');
    await begin('me');
    await reserve('me', 'b');
    expect(await new Credits({ database, process: 'me', clock }).settleAbandoned()).toBe(1);
    const states = await database.selectFrom('ledger').select(['job', 'state']).orderBy('job').execute();
    expect(states).toEqual([
      { job: 'a', state: 'uncertain' },
      { job: 'b', state: 'reserved' },
    ]);
  });

  it('know whether another receives the same', async () => {
    await begin('me');
    expect(await processes.othersReceive('me', everything)).toBe(false);
    if (name === 'SQLite') return;
    await processes.begin('other', new Map([...everything, ['console', 'all']]));
    expect(await processes.othersReceive('me', everything)).toBe(true);
    expect(await processes.othersReceive('other', new Map([['console', 'all']]))).toBe(false);
    expect(await processes.othersReceive('me', new Map([['discord', 'another slice']]))).toBe(false);
  });

  it(name === 'SQLite' ? 'are one at a time' : 'live side by side', async () => {
    await begin('one', 'two');
    expect((await processes.living()).size).toBe(name === 'SQLite' ? 1 : 2);
  });

  it.runIf(name === 'PostgreSQL')('give each row to one of those that try at once', async () => {
    await dead('old');
    for (let count = 0; count < 20; count++) await add('old', jobOf(`job ${count}`));
    const ids = ['one', 'two', 'three', 'four'];
    await begin(...ids);
    const taken = await Promise.all(ids.map((id) => takeOver(id)));
    const all = taken.flatMap(({ jobs }) => jobs.map(({ id }) => id));
    expect(all).toHaveLength(20);
    expect(new Set(all).size).toBe(20);
  });
});
