import { beforeEach, describe, expect, it } from 'vitest';
import { FaultLog } from '../../src/app/control/fault-log.ts';
import { SpendingSums } from '../../src/app/control/spending.ts';
import { type Job, spendingKinds } from '../../src/port/index.ts';
import { type Database, openKeyv } from '../../src/store/index.ts';
import { endsWithTest } from '../at-end.ts';
import { FakeClock } from '../fakes/clock.ts';
import { openMigrated } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';

const day = 86_400_000;
/** Noon. */
const noon = 20_000 * day + day / 2;

describe.each(databases)('the control room, on $name', ({ fresh }) => {
  let database: Database;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock(noon);
    database = await openMigrated(await fresh());
    endsWithTest(() => database.destroy());
  });

  it('adds up every call once, however many there are, by day, kind, place and person', async () => {
    const call = (index: number) => ({
      ...{ id: `call ${index}`, job: 'job', platform: 'slack', workspace: index % 3 === 0 ? 'T1' : 'T2' },
      ...{ channel: 'C1', thread: null, person: `U${index % 2}`, person_name: index >= 700 ? 'old' : 'new' },
      ...{ conversation_id: '', kind: spendingKinds[index % 4]!, model: '', quantity: '{}' },
      state: index % 10 === 9 ? ('failed' as const) : ('spent' as const),
      ...{ estimated: 0, low: 0, high: 1_000_000, request_id: null, settled_at: null },
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
