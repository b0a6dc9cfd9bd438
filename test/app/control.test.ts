import { beforeEach, describe, expect, it } from 'vitest';
import { FaultLog } from '../../src/app/control/fault-log.ts';
import { liveWork, queueState } from '../../src/app/control/live-work.ts';
import { SpendingSums } from '../../src/app/control/spending.ts';
import { trailOf } from '../../src/app/control/trail.ts';
import { type Job, spendingKinds } from '../../src/port/index.ts';
import { createJobs, type Database, openKeyv } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { ledgerRow, renderRow } from '../fakes/records.ts';

const day = 86_400_000;
/** Noon. */
const noon = 20_000 * day + day / 2;

describe.each(databases)('the control room, on $name', ({ fresh }) => {
  let database: Database;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock(noon);
    database = await databaseOfTest(await fresh());
  });

  it('adds up every call once, however many there are, by day, kind, place and person', async () => {
    const call = (index: number) =>
      ledgerRow(`call ${index}`, {
        ...{ platform: 'slack', workspace: index % 3 === 0 ? 'T1' : 'T2', high: 1_000_000 },
        ...{ person: `U${index % 2}`, person_name: index >= 700 ? 'old' : 'new' },
        ...{ kind: spendingKinds[index % 4]!, state: index % 10 === 9 ? 'failed' : 'spent' },
        // Hundreds at the same moment, and some too long ago.
        created_at: noon - Math.floor(index / 700) * day - (index >= 1_400 ? 20 * day : 0),
      });
    const calls = Array.from({ length: 1_500 }, (_, index) => call(index));
    for (let from = 0; from < calls.length; from += 100)
      await database
        .insertInto('ledger')
        .values(calls.slice(from, from + 100))
        .execute();
    const sums = new SpendingSums(database, clock);
    let spending = await sums.look();
    while (!spending.isWhole) spending = await sums.look();
    const totals = spending.days.map(({ kinds }) => Object.values(kinds).reduce((sum, one) => sum + one, 0));
    expect(totals).toEqual([...Array.from({ length: 12 }, () => 0), 630, 630]);
    expect(spending.places).toMatchObject([
      { platform: 'slack', workspace: 'T2', credits: 840, calls: 840 },
      { workspace: 'T1', credits: 420, calls: 420 },
    ]);
    expect(spending.people).toMatchObject([
      { person: 'U0', name: 'new', credits: 700 },
      { person: 'U1', credits: 560 },
    ]);
    expect(sums.today().reduce((sum, { credits }) => sum + credits, 0)).toBe(630);
    await sums.close();
  });

  it('lists what is under way and waits, with its person and how far it is, and no words', async () => {
    const job = (id: string, state: 'running' | 'done', command = 'ask') => ({
      ...{ id, event_id: id, command, options: '{"prompt":"secret"}', state, created_at: noon },
      address: JSON.stringify({ platform: 'slack', workspace: 'T1', channel: 'C1' }),
      requester: JSON.stringify({ id: 'U1', name: 'ada' }),
    });
    await database
      .insertInto('jobs')
      .values([
        job('answer', 'running'),
        job('render', 'done'),
        job('over', 'done'),
        job('theirs', 'running', 'report'),
      ])
      .execute();
    await database
      .insertInto('live_answers')
      .values({ job_id: 'answer', kind: 'growing', messages: '[]', last_text: 'secret' })
      .execute();
    const message = JSON.stringify({ platform: 'slack', workspace: 'T1', channel: 'C1', message: '1' });
    const render = (id: string, part: number, state: 'waiting' | 'reserved') =>
      renderRow(id, {
        ...{ job: 'render', part, parts: 2, state, kind: 'image', request: '{"prompt":"secret"}' },
        ...{ message, created_at: noon, updated_at: noon },
      });
    await database
      .insertInto('renders')
      .values([render('render', 1, 'waiting'), render('render.2', 2, 'reserved')])
      .execute();
    const at = { platform: 'slack', workspace: 'T1', person: 'ada', since: noon };
    const seen = await liveWork(database);
    expect(seen).toEqual({
      live: [
        { id: 'answer', command: 'ask', stage: 'writing', ...at, characters: 6 },
        { id: 'render', command: 'imagine', stage: 'queued', ...at, canCancel: true },
      ],
      hasMoreLive: false,
    });
    expect(await queueState(database, { chat: 2 })).toEqual({
      calls: { chat: 2 },
      renders: 1,
      deliveries: 0,
    });
    await database.updateTable('renders').set({ state: 'ready' }).execute();
    const paid = (job: string) => ledgerRow(`paid ${job}`, { job, kind: 'image', created_at: noon });
    await database
      .insertInto('ledger')
      .values([paid('render'), paid('render.2')])
      .execute();
    expect((await liveWork(database)).live[1]).toMatchObject({ stage: 'held', canRetry: true });
    const trail = await trailOf('render', {
      database,
      jobs: createJobs(database),
      adapters: () => undefined,
    });
    expect(trail.map(({ step, state }) => [step, state])).toEqual([
      ['command', 'done'],
      ['call', 'spent'],
      ['call', 'spent'],
      ['render', 'ready'],
      ['render', 'ready'],
    ]);
    expect(JSON.stringify([seen, trail])).not.toContain('secret');
  });

  it('keeps the latest faults of all processes, a hundred of each, without anybody’s words', async () => {
    const keyv = openKeyv(database, 'faults', () => clock.now());
    const [one, other] = ['one', 'other'].map((process) => new FaultLog({ keyv, process, clock }));
    const job = (id: string) =>
      ({ id, command: 'ask', address: { platform: 'slack', workspace: 'T1' } }) as unknown as Job;
    for (let index = 0; index < 130; index++) {
      await clock.advance(1_000);
      const error = Object.assign(new TypeError('about a secret plan'), { status: 502, requestId: 'req_1' });
      one?.failed(job(`job ${index}`), error);
    }
    other?.failed(job('the last'), 'secret words');
    other?.ended(job('the last'), { outcome: 'failed', reason: 'service' });
    other?.ended(job('fine'), { outcome: 'done' });
    await one?.close();
    await other?.close();
    const kept = await keyv.keysStartingWith(['']);
    expect(kept.length).toBe(101);
    const faults = await new FaultLog({ keyv, process: 'third', clock }).latest();
    expect(faults.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['the last', ...Array.from({ length: 49 }, (_, index) => `job ${129 - index}`)]),
    );
    expect(faults.length).toBe(50);
    expect(faults.find(({ id }) => id === 'job 129')).toMatchObject({
      ...{ what: 'TypeError', code: '502', request: 'req_1', command: 'ask', workspace: 'T1' },
    });
    expect(JSON.stringify(faults)).not.toContain('secret');
  });
});
