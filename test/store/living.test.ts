import { Client } from 'pg';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DeliveryStore } from '../../src/deliveries/delivery-store.ts';
import { RenderStore } from '../../src/renders/render-store.ts';
import {
  createJobs,
  type Database,
  expectLiving,
  isStillLiving,
  LeaseEndedError,
  Processes,
} from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { here, jobCalled } from '../fakes/records.ts';
import { patience } from '../patience.ts';

let database: Database;
let url: string;

beforeEach(async () => {
  url = await freshPostgres();
  database = await databaseOfTest(url);
  await new Processes(database).begin('one', new Map());
});

/** A connection to hold a transaction open in. */
async function other(): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** How many statements wait for a lock of another. */
const waiting = async () => {
  const { rows } = await (
    await other()
  ).query(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].count;
};

/** Puts it on record that a process begins something. */
const begin = async (key: string, process: string | null, on = database) => {
  const row = on
    .selectNoFrom(({ val }) => [val(key).as('key'), val('begun').as('value')])
    .where(isStillLiving(on, process));
  const { numInsertedOrUpdatedRows } = await on
    .insertInto('keyv')
    .columns(['key', 'value'])
    .expression(row)
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows);
};
const endsOne = `update processes set ended_at = 1 where id = 'one' and ended_at is null`;

describe('what only a living process may do', () => {
  it('is done by one that lives, and by one that is alone', async () => {
    expect([await begin('a', 'one'), await begin('b', null)]).toEqual([1, 1]);
  });

  it('is not done by one that was found dead, or is not on record', async () => {
    await new Processes(database).end('one');
    expect([await begin('a', 'one'), await begin('b', 'never begun')]).toEqual([0, 0]);
  });

  it('is not done by one that is being found dead: it waits, and then does nothing', async () => {
    const finder = await other();
    await finder.query(`begin; ${endsOne}`);
    const begun = begin('a', 'one');
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), patience);
    await finder.query('commit');
    expect(await begun).toBe(0);
  });

  it('is seen by those who find it dead: they wait until it is on record', async () => {
    const beginner = await database.startTransaction().execute();
    await begin('a', 'one', beginner);
    const finder = await other();
    const found = finder.query(endsOne).then(() => finder.query(`select key from keyv`));
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0), patience);
    await beginner.commit().execute();
    expect((await found).rows).toEqual([{ key: 'a' }]);
  });
});

it.each(['one', 'another'])(
  'the process %s may begin something while it counts as living',
  async (process) => {
    const begun = expectLiving(database, process);
    if (process === 'one') await begun;
    else await expect(begun).rejects.toThrow(LeaseEndedError);
  },
);

describe('work that a process takes in hand', () => {
  const renderOf = (part: number) => ({
    ...{ job: 'mine', part, parts: 2, createdAt: 0, conversationId: 'c' },
    kind: 'video' as const,
    request: { prompt: 'a cat' } as never,
    message: { ...here, message: 'm' },
  });
  const take = async () => {
    const jobs = createJobs(database, 'one');
    const deliveries = new DeliveryStore({ database, process: 'one', files: {} as never, now: () => 0 });
    const renders = new RenderStore(database, () => 0, 'one');
    return Promise.allSettled([
      jobs.add(jobCalled('new'), 'event of new'),
      jobs.confirm('asked', undefined, 'a press'),
      renders.add([renderOf(1), renderOf(2)]),
      deliveries.claim('mine'),
    ]);
  };
  const owners = async () => {
    const tables = ['jobs', 'renders', 'deliveries'] as const;
    const rows = await Promise.all(
      tables.map((table) => database.selectFrom(table).select('process').execute()),
    );
    return rows.flat().filter(({ process }) => process === 'one').length;
  };

  beforeEach(async () => {
    const jobs = createJobs(database);
    await jobs.add(jobCalled('mine'), 'event of mine');
    await jobs.add(jobCalled('asked'), 'event of asked', 'asked');
    const message = JSON.stringify({ message: { text: 'a clip' }, isHeld: true });
    await database
      .insertInto('deliveries')
      .values({ job_id: 'mine', created_at: 0, message, held: 1 })
      .execute();
  });

  it('is its own: a command, a confirmed one, renders, a delivery', async () => {
    expect((await take()).map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
    expect(await owners()).toBe(5);
    // The same event again.
    expect(await createJobs(database, 'one').add(jobCalled('other'), 'event of new')).toBe(false);
  });

  it('is nobody’s where others have taken it for dead, and it’s told so', async () => {
    await new Processes(database).end('one');
    for (const taken of await take()) expect(taken).toMatchObject({ reason: expect.any(LeaseEndedError) });
    expect(await owners()).toBe(0);
    expect(await createJobs(database).awaitsConfirmation('asked')).toBe(true);
  });
});
