import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlatformError } from '../../src/port/index.ts';
import { ratesPerMinute } from '../../src/service-rules/limits.ts';
import {
  createJobs,
  type Database,
  Processes as OnRecord,
  openDatabase,
  PostgresError,
  type RenderState,
} from '../../src/store/index.ts';
import { openMigrated } from '../fakes/database.ts';
import { freshPostgres, Postgres } from '../fakes/postgres/index.ts';
import { ledgerRow } from '../fakes/records.ts';
import { patience } from '../patience.ts';
import { addRender } from './support/postgres.ts';
import { jobOf, Processes, type TestedProcess } from './support/processes.ts';
import { progressMessage, ready, running } from './support/service-and-place.ts';

let processes: Processes;
let one: TestedProcess;
let two: TestedProcess;

let database: Database;

beforeAll(async () => {
  database = await openMigrated(await freshPostgres());
});
afterAll(() => database.destroy());
beforeEach(async () => {
  processes = new Processes(database);
  over = Promise.withResolvers();
  over.promise.catch(() => {});
  [one, two] = [await processes.start('one'), await processes.start('two')];
});
afterEach(async () => {
  await processes.close(() => over.reject(new Error('the test is over')));
  const tables = 'processes, jobs, renders, ledger, budget_use, files, file_chunks';
  await sql`truncate ${sql.raw(tables)} cascade`.execute(database);
});

const begin = async ({ renders }: TestedProcess, count = 1, at = database) => {
  const job = jobOf('job1');
  await createJobs(at).add(job, 'event');
  await renders.begin({
    job,
    kind: 'video',
    request: { prompt: 'a cat' },
    conversationId: 'c',
    message: progressMessage,
    count,
  });
};
const rows = () =>
  database.selectFrom('renders').select(['id', 'state', 'process', 'delivered']).orderBy('id').execute();
const is = (wanted: RenderState) => async () => (await rows()).every(({ state }) => state === wanted);
const isOver = async () => (await rows()).every(({ delivered }) => delivered !== null);
let over: PromiseWithResolvers<never>;
/** A promise that a process hangs in when it's killed, until the test is over. */
const hang = () => over.promise;
const keys = () => processes.place.tried.filter((key) => !key.endsWith(':late-word'));

describe('a render of several processes', () => {
  it('is asked about by one at a time, fetched once and posted once', async () => {
    let asking = 0;
    let most = 0;
    let asked = 0;
    for (const { service } of [one, two]) {
      service.answer = async () => {
        asked += 1;
        asking += 1;
        most = Math.max(most, asking);
        await new Promise(setImmediate);
        asking -= 1;
        return asked < 6 ? running() : ready;
      };
    }
    await begin(one);
    await processes.until(isOver);
    expect(most).toBe(1);
    expect(asked).toBe(6);
    expect(one.service.submits + two.service.submits).toBe(1);
    expect(one.service.downloads + two.service.downloads).toBe(1);
    expect(keys()).toEqual(['job1:ready']);
    // Nothing is left anywhere.
    await vi.waitUntil(
      async () => (await database.selectFrom('files').select('id').execute()).length === 0,
      patience,
    );
  });

  it('goes on in another process if its own dies while it waits: nobody has to take it over', async () => {
    one.service.statuses = [running()];
    two.service.statuses = [running(), ready];
    await begin(one);
    await vi.waitUntil(async () => (await rows())[0]?.process === null, patience);
    one.kill();
    await processes.until(isOver);
    expect(one.service.polls).toEqual([]);
    expect([two.service.submits, two.service.polls.length, keys()]).toEqual([0, 2, ['job1:ready']]);
  });

  it('is left alone while its process is at work on it, and taken over once that is dead', async () => {
    const asked = Promise.withResolvers<void>();
    one.service.answer = () => {
      asked.resolve();
      return hang();
    };
    two.service.statuses = [ready];
    await begin(one);
    await vi.waitUntil(async () => (await rows())[0]?.process === null, patience);
    await processes.pass(2_000, [one]);
    await asked.promise;
    one.kill();
    await processes.pass(300_000);
    await processes.pass(300_000);
    expect(two.service.polls).toEqual([]);
    await processes.takeOver('one', two);
    await processes.until(isOver);
    expect(keys()).toEqual(['job1:ready']);
  });
});

describe('a render that the database has lost, having come back without its last commits', () => {
  const paid = ledgerRow('paid', {
    ...{ job: 'job1', kind: 'video', state: 'reserved', low: 400, high: 400, created_at: 1 },
  });
  const reserved = () => database.selectFrom('ledger').select(['id', 'state', 'high']).execute();
  const used = () =>
    database.selectFrom('budget_use').select('high').where('platform', '=', '').executeTakeFirst();
  const lose = () => sql`truncate jobs, renders, ledger, budget_use cascade`.execute(database);
  const isDelivered = async () => (await rows()).length === 1 && (await isOver());

  it('is put on record again while it waits, with what’s reserved for it, asked about and posted', async () => {
    await database.insertInto('ledger').values(paid).execute();
    one.service.answer = two.service.answer = async () => running();
    await begin(one);
    await processes.until(async () => one.service.polls.length + two.service.polls.length > 0);
    await lose();
    one.service.answer = two.service.answer = async () => ready;
    await processes.until(isDelivered);
    expect([one.service.submits + two.service.submits, keys()]).toEqual([1, ['job1:ready']]);
    expect(await reserved()).toMatchObject([{ id: 'paid', high: 400 }]);
    expect(await used()).toEqual({ high: 400 });
  });

  it('of several parts is put on record again with what’s reserved for each', async () => {
    const second = ledgerRow('paid too', { ...paid, id: 'paid too', job: 'job1.2' });
    await database.insertInto('ledger').values([paid, second]).execute();
    one.service.answer = two.service.answer = async () => running();
    await begin(one, 2);
    await processes.until(async () => one.service.polls.length + two.service.polls.length > 1);
    await lose();
    one.service.answer = two.service.answer = async () => ready;
    await processes.until(async () => (await rows()).length === 2 && (await isOver()));
    expect(await reserved()).toMatchObject([
      { high: 400, state: 'spent' },
      { high: 400, state: 'spent' },
    ]);
    expect(await used()).toEqual({ high: 800 });
  });

  it('of several parts is posted once all of them are on record again', async () => {
    const second = ledgerRow('paid too', { ...paid, id: 'paid too', job: 'job1.2' });
    await database.insertInto('ledger').values([paid, second]).execute();
    one.service.answer = two.service.answer = async () => running();
    await begin(one, 2);
    await processes.until(async () => one.service.polls.length + two.service.polls.length > 1);
    // The first is there again already.
    await database.deleteFrom('renders').where('id', '=', 'job1.2').execute();
    one.service.answer = two.service.answer = async () => ready;
    await processes.until(async () => (await rows()).length === 2 && (await isOver()));
    expect(keys()).toEqual(['job1:ready']);
  });

  it('is put on record again when it has been sent, with its task', async () => {
    const send = one.service.holdSubmits();
    one.service.answer = two.service.answer = async () => ready;
    await begin(one);
    await vi.waitUntil(is('submitting'), patience);
    await lose();
    send();
    await processes.until(isDelivered);
    expect([one.service.submits, two.service.submits, keys()]).toEqual([1, 0, ['job1:ready']]);
  });

  it('is not sent again where it’s back in the state before that', async () => {
    one.service.answer = two.service.answer = async () => running();
    await begin(one);
    await vi.waitUntil(async () => (await rows())[0]?.process === null, patience);
    two.kill();
    await database
      .updateTable('renders')
      .set({ state: 'reserved', task_id: null, process: 'one', wakes_at: null })
      .execute();
    one.service.answer = async () => ready;
    await processes.until(isDelivered);
    expect([one.service.submits, keys()]).toEqual([1, ['job1:ready']]);
  });
});

it.each([
  { what: 'the render', lost: sql`truncate jobs, renders cascade` },
  { what: 'the render, but not its command', lost: sql`truncate renders cascade` },
  { what: 'nothing else', lost: sql`select 1` },
])(
  'what was deleted of a render stays deleted where the database has lost that, and $what',
  async ({ lost }) => {
    two.kill();
    one.service.answer = async () => running();
    await begin(one);
    const isAsked = async () => {
      const { length } = one.service.polls;
      await processes.until(() => one.service.polls.length > length);
    };
    await isAsked();
    await createJobs(database).markDeleted('job1', 'answer');
    await isAsked();
    await sql`update jobs set deleted = null`.execute(database);
    await lost.execute(database);
    one.service.answer = async () => ready;
    await processes.until(async () => (await rows()).length === 1 && (await isOver()));
    expect(await createJobs(database).find('job1')).toMatchObject({ deleted: 'answer' });
  },
);

describe('a render that is being submitted', () => {
  it('is called uncertain by no other process while its own lives, however long that takes', async () => {
    const send = one.service.holdSubmits();
    two.service.statuses = [ready];
    one.service.statuses = [ready];
    await begin(one);
    await vi.waitUntil(is('submitting'), patience);
    await processes.pass(600_000);
    await processes.pass(600_000);
    expect(await rows()).toMatchObject([{ state: 'submitting', process: 'one' }]);
    send();
    await processes.until(isOver);
    expect([one.service.submits, two.service.submits, keys()]).toEqual([1, 0, ['job1:ready']]);
  });

  it('is uncertain once its process is dead, and never sent again', async () => {
    one.service.submit = hang;
    await begin(one);
    await vi.waitUntil(is('submitting'), patience);
    one.kill();
    await processes.takeOver('one', two);
    await processes.until(isOver);
    expect(await rows()).toMatchObject([{ state: 'uncertain' }]);
    expect([two.service.submits, keys()]).toEqual([0, ['job1:ended']]);
  });

  it('is never sent by a process that was taken for dead, before another has it', async () => {
    const { came, open } = one.service.holdQueue();
    await begin(one);
    await came;
    await new OnRecord(database).end('one');
    open();
    two.service.statuses = [ready];
    await processes.pass(10_000);
    // A process that learns of it ends.
    one.kill();
    await processes.takeOver('one', two);
    await processes.until(isOver);
    expect([one.service.submits, two.service.submits, keys()]).toEqual([0, 1, ['job1:ready']]);
  });

  it('is never sent by a process that was cut off while it waited for its turn: another has it then', async () => {
    const { came, open } = one.service.holdQueue();
    two.service.statuses = [ready];
    await begin(one);
    await came;
    // Cut off, it takes nothing that comes due.
    one.kill();
    await processes.takeOver('one', two);
    await processes.until(() => two.service.submits === 1);
    open();
    await processes.until(isOver);
    await one.clock.advance(60_000);
    expect([one.service.submits, two.service.submits, keys()]).toEqual([0, 1, ['job1:ready']]);
  });

  it('is left alone by a process that was cut off while it waited for its turn, where another waits for its own', async () => {
    const turns = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() };
    const queued = { one: 0, two: 0 };
    for (const { name, service } of [one, two])
      service.queue = () => {
        queued[name as 'one' | 'two'] += 1;
        return turns[name as 'one' | 'two'].promise;
      };
    two.service.statuses = [ready];
    await begin(one);
    await processes.until(() => queued.one === 1);
    one.kill();
    await processes.takeOver('one', two);
    await processes.until(() => queued.two === 1);
    turns.one.resolve();
    for (let seconds = 0; seconds < 10; seconds++) await processes.pass(1_000);
    turns.two.resolve();
    await processes.until(isOver);
    expect(queued).toEqual({ one: 1, two: 1 });
    expect([one.service.submits, two.service.submits, keys()]).toEqual([0, 1, ['job1:ready']]);
  });

  it('is sent once, and is not uncertain, where its process takes it back while it waits for its turn', async () => {
    const turn = Promise.withResolvers<void>();
    const send = one.service.holdSubmits();
    let queued = 0;
    one.service.queue = () => {
      queued += 1;
      return turn.promise;
    };
    one.service.statuses = [ready];
    await begin(one);
    await processes.until(() => queued === 1);
    // Another process has taken it over, put it to sleep and died before it woke it.
    two.kill();
    await processes.takeOver('one', two, { wakes: false });
    await processes.until(async () => (await rows())[0]?.process === 'one');
    for (let seconds = 0; seconds < 10; seconds++) await processes.pass(1_000);
    turn.resolve();
    await vi.waitUntil(async () => !(await is('reserved')()), patience);
    for (let seconds = 0; seconds < 10; seconds++) await processes.pass(1_000);
    send();
    await processes.until(isOver);
    expect([queued, one.service.submits, keys()]).toEqual([1, 1, ['job1:ready']]);
  });

  it('is not changed any more by a process that was cut off while it sent it', async () => {
    const send = one.service.holdSubmits();
    await begin(one);
    await vi.waitUntil(is('submitting'), patience);
    // Cut off, it takes nothing that comes due.
    one.kill();
    await processes.takeOver('one', two);
    await processes.until(isOver);
    send();
    // What it has begun is over then.
    let isClosed = false;
    const closed = one.renders.close().then(() => (isClosed = true));
    await vi.waitUntil(async () => {
      await one.clock.advance(60_000);
      return isClosed;
    }, patience);
    await closed;
    expect(await rows()).toMatchObject([{ state: 'uncertain' }]);
    expect(one.service.polls).toEqual([]);
    expect(keys()).toEqual(['job1:ended']);
  });
});

describe('a result', () => {
  it('that one process has fetched is posted by another', async () => {
    one.service.statuses = [ready];
    processes.place.refuses = () => new PlatformError('unreachable');
    await begin(one);
    await processes.until(() => processes.place.tried.length > 0);
    one.kill();
    processes.place.refuses = () => undefined;
    await processes.takeOver('one', two);
    await processes.until(isOver);
    expect(processes.place.files).toEqual([[1, 2, 3]]);
    expect([one.service.downloads, two.service.downloads]).toEqual([1, 0]);
  });

  it('that was posted when its process died is posted under the same key again, and nowhere else', async () => {
    one.service.statuses = [ready];
    const post = processes.place.post.bind(processes.place);
    processes.place.post = async (...of) => {
      processes.place.post = post;
      await post(...of);
      return hang();
    };
    await begin(one);
    await processes.until(() => processes.place.posts.size > 0);
    one.kill();
    await processes.takeOver('one', two);
    await processes.until(isOver);
    expect(keys()).toEqual(['job1:ready', 'job1:ready']);
  });

  it('is handed over at once by a process that stops', async () => {
    one.service.statuses = [ready];
    processes.place.refuses = () => new PlatformError('unreachable');
    await begin(one);
    await processes.until(() => processes.place.tried.length > 0);
    processes.place.refuses = () => undefined;
    await one.renders.close();
    one.kill();
    // Nobody has to take it over: the other may have it already.
    expect((await rows())[0]?.process).not.toBe('one');
    await processes.until(isOver);
    expect(processes.place.files).toEqual([[1, 2, 3]]);
  });

  it('isn’t posted by a process that may not know yet that it was deleted', async () => {
    one.service.statuses = [ready];
    processes.place.refuses = () => new PlatformError('unreachable');
    await begin(one);
    await processes.until(() => processes.place.tried.length > 0);
    for (const process of [one, two]) {
      await process.renders.close();
      process.kill();
    }
    processes.place.refuses = () => undefined;
    const three = await processes.start('three', undefined, undefined, { resumes: false });
    await processes.pass(60_000);
    expect(await rows()).toMatchObject([{ process: null, delivered: null }]);
    await three.renders.resume();
    await processes.until(isOver);
  });

  it('of several parts is one message, whichever processes made them', async () => {
    for (const { service } of [one, two]) service.statuses = [running(), running(), ready];
    await begin(one, 4);
    await vi.waitUntil(async () => (await rows()).every(({ process }) => process === null), patience);
    // Half of them wait where only the other process looks.
    one.kill();
    await processes.pass(2_000);
    await processes.until(isOver);
    expect(keys()).toEqual(['job1:ready']);
    expect(processes.place.files).toHaveLength(4);
  });
});

describe('what people do in one process', () => {
  it('cancels a render that waits for its turn in another', async () => {
    const turn = Promise.withResolvers<void>();
    one.service.queue = ({ signal }) =>
      new Promise((_, reject) => {
        turn.resolve();
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    await begin(one);
    await turn.promise;
    expect(await two.renders.cancel('job1')).toBe(true);
    await processes.until(isOver);
    expect(one.service.submits).toBe(0);
    expect(processes.place.posts.get('job1:ended')).toEqual({ text: 'failed canceled' });
    expect(await two.renders.cancel('job1')).toBe(false);
  });

  it('waits for the end of a render in another', async () => {
    one.service.statuses = [ready];
    await begin(one);
    let over = false;
    const waiting = two.renders.over('job1', 600_000).then(() => {
      over = true;
    });
    await processes.pass(1_000);
    expect(over).toBe(false);
    await processes.until(() => over);
    await waiting;
    expect(await isOver()).toBe(true);
    // At once where there's nothing to wait for.
    await two.renders.over('job1', 600_000);
  });

  it('waits no longer than it wants to', async () => {
    one.service.submit = hang;
    await begin(one);
    // It looks for what's due, and for what the database has lost.
    await vi.waitUntil(() => two.clock.pending === 2, patience);
    const waiting = two.renders.over('job1', 1_000);
    await vi.waitUntil(() => two.clock.pending === 3, patience);
    await two.clock.advance(1_000);
    await waiting;
  });

  it('fetches a result while another process posts it: one of them does it', async () => {
    one.service.statuses = [ready];
    const posted = Promise.withResolvers<void>();
    const post = processes.place.post.bind(processes.place);
    let isPosting = false;
    processes.place.post = async (...of) => {
      isPosting = true;
      await posted.promise;
      return post(...of);
    };
    await begin(one);
    await processes.until(() => isPosting);
    const say = vi.fn();
    const brought = two.renders.bringHeld(jobOf('job1'), 1_000, say);
    posted.resolve();
    expect(await brought).toBe(false);
    expect(say).not.toHaveBeenCalled();
    await processes.until(isOver);
    expect(keys()).toEqual(['job1:ready']);
  });

  it('sees all that is open', async () => {
    one.service.submit = hang;
    await begin(one, 3);
    await processes.pass(10_000);
    expect(await two.renders.open()).toHaveLength(3);
  });
});

describe('many renders of two processes', () => {
  it('stay within the budget of status queries together', async () => {
    const count = 150;
    for (let number = 0; number < count; number++)
      await addRender(database, { id: `r${number}`, process: number % 2 ? 'one' : 'two' });
    for (const { service } of [one, two]) service.statuses = [running()];
    await Promise.all([one.renders.resume(), two.renders.resume()]);
    const began = one.clock.now();
    for (let second = 0; second < 240; second += 5) await processes.passInStep(5_000);
    const polls = [...one.service.polls, ...two.service.polls].map((at) => Math.floor((at - began) / 60_000));
    const perMinute = Map.groupBy(polls, (minute) => minute);
    for (const [, all] of perMinute) expect(all.length).toBeLessThanOrEqual(ratesPerMinute.status);
    expect(new Set([...one.service.asked, ...two.service.asked]).size).toBeGreaterThan(count * 0.9);
    expect(Math.min(one.service.polls.length, two.service.polls.length)).toBeGreaterThan(0);
  });
});

it('a render of which only the answer was lost that it’s about to be sent is sent, once', async () => {
  const sending = new Set<object>();
  let losses = 0;
  const unreliable = database.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (node.kind === 'UpdateQueryNode' && JSON.stringify(node.updates).includes('"submitting"'))
        sending.add(queryId);
      return node;
    },
    transformResult: async ({ queryId, result }) => {
      const isSending = sending.has(queryId) && result.numAffectedRows === 1n;
      if (!isSending || ++losses > 1) return result;
      throw new PostgresError(Object.assign(new Error('lost'), { code: '08006' }));
    },
  });
  const others = new Processes(unreliable);
  const three = await others.start('three');
  three.service.statuses = [ready];
  await begin(three);
  await others.until(isOver);
  expect(losses).toBeGreaterThan(0);
  expect(await rows()).toMatchObject([{ state: 'delivered' }]);
  expect(three.service.submits).toBe(1);
});

describe('a render that may be on record although its person was told otherwise', () => {
  it('isn’t resumed by its own process before it’s undone', async () => {
    const lost = () => new PostgresError(Object.assign(new Error('lost'), { code: '08006' }));
    const inserts = new Set<object>();
    let isAway = true;
    // The answers to the insert are lost, and the delete doesn't get through.
    const unreliable = database.withPlugin({
      transformQuery: ({ node, queryId }) => {
        if (node.kind === 'DeleteQueryNode' && isAway) throw lost();
        const isOfRenders = JSON.stringify(node).includes('"renders"');
        if (node.kind === 'InsertQueryNode' && isOfRenders) inserts.add(queryId);
        return node;
      },
      transformResult: async ({ queryId, result }) => {
        if (inserts.has(queryId)) throw lost();
        return result;
      },
    });
    const others = new Processes(unreliable);
    const three = await others.start('three');
    await expect(begin(three)).rejects.toThrow('lost');
    expect(await rows()).toMatchObject([{ process: 'three' }]);
    expect(await three.renders.resume()).toBe(0);
    isAway = false;
    await vi.waitUntil(async () => (await rows()).length === 0, patience);
    expect(three.service.submits).toBe(0);
  });
});

describe('a render whose database is restarted between two queries', () => {
  it('goes on by itself', async () => {
    const server = await Postgres.start();
    const itsDatabase = await openDatabase(server.url());
    const restarted = new Processes(itsDatabase);
    try {
      const alone = await restarted.start('one');
      alone.service.statuses = [running()];
      await begin(alone, 1, itsDatabase);
      await restarted.until(() => alone.service.polls.length === 2);
      await server.kill();
      const before = alone.service.polls.length;
      await alone.clock.advance(60_000);
      await server.start();
      alone.service.statuses = [ready];
      await restarted.until(async () => {
        const open = await itsDatabase.selectFrom('renders').select('delivered').execute();
        return open.every(({ delivered }) => delivered !== null);
      });
      expect(alone.service.polls.length).toBeLessThanOrEqual(before + 3);
      expect(restarted.place.tried).toEqual(['job1:ready']);
    } finally {
      await itsDatabase.destroy();
      await server.close();
    }
  });
});
