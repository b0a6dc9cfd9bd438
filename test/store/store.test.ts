import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { formPress, type Job } from '../../src/port/index.ts';
import { createJobs, openDatabase, openKeyv, sweep } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled, renderRow } from '../fakes/records.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const hour = 3_600_000;

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const job = jobCalled('job1', { options: { prompt: '你好' }, createdAt: 5 });

describe('the database', () => {
  it('keeps values over a restart, in a folder that it makes', async () => {
    const url = `sqlite:${join(folder, 'deep', 'troupe.db')}`;
    const first = await openDatabase(url);
    await openKeyv(first, 'conversation').set('a', { turns: ['你好'] });
    await first.destroy();
    const second = await openDatabase(url);
    expect(await openKeyv(second, 'conversation').get('a')).toEqual({ turns: ['你好'] });
    await second.destroy();
  });

  it('belongs to one process at a time, and to the next when that is gone', async () => {
    const url = `sqlite:${join(folder, 'claimed.db')}`;
    const first = await openDatabase(url);
    await expect(openDatabase(url)).rejects.toThrow(/another process is using it; stop that process first/);
    await first.destroy();
    await (await openDatabase(url)).destroy();
  });

  it('says in words that the file is damaged', async () => {
    const file = join(folder, 'damaged.db');
    await writeFile(file, 'this is no database, whatever its name says. '.repeat(100));
    await expect(openDatabase(`sqlite:${file}`)).rejects.toThrow(/damaged; put a backup in its place/);
  });
});

describe.each(databases)('the database, on $name', ({ fresh }) => {
  it('forgets values that have expired, and deletes one once', async () => {
    const database = await databaseOfTest(await fresh());
    let now = 1_000;
    const keyv = openKeyv(database, 'conversation', () => now);
    await keyv.set('a', { turns: ['你好'] });
    await keyv.set('b', 1, hour);
    expect(await keyv.get('a')).toEqual({ turns: ['你好'] });
    now += hour;
    expect(await keyv.get('b')).toBeUndefined();
    expect(await keyv.add('b', 2, hour)).toBe(true);
    now += hour;
    expect(await keyv.keysStartingWith([''])).toEqual(['a']);
    expect(await sweep(database, now)).toBe(1);
    expect(await Promise.all([keyv.delete('a'), keyv.delete('a')])).toEqual(
      expect.arrayContaining([true, false]),
    );
    expect(await keyv.keysStartingWith([''])).toEqual([]);
  });

  it('takes an event once and gives its job back whole', async () => {
    const database = await databaseOfTest(await fresh());
    const jobs = createJobs(database);
    expect(await jobs.add(job, 'event1')).toBe(true);
    expect(await jobs.add({ ...job, id: 'job2' }, 'event1')).toBe(false);
    expect(await jobs.find('job1')).toEqual({ ...job, eventId: 'event1', question: 'event1' });
    expect(await jobs.find('job2')).toBeUndefined();
    const again = { ...job, id: 'job3', question: 'event1' };
    expect(await jobs.add(again, 'event3')).toBe(true);
    expect(await jobs.find('job3')).toEqual({ ...again, eventId: 'event3' });
    expect((await jobs.named(['job3'], [])).map(({ named }) => named)).toEqual(['answer']);
    const named = (await jobs.named([], ['event1'])).map((one) => `${one.job.id} ${one.named}`);
    expect(named.sort()).toEqual(['job1 question', 'job3 question']);
  });

  it('takes a press once while what it gave is under way', async () => {
    const database = await databaseOfTest(await fresh());
    const jobs = createJobs(database);
    const press = 'video.same_seed:x u';
    const add = (id: string, more: Partial<Job> = {}) =>
      jobs.add({ ...job, id, press, ...more }, `event of ${id}`);
    const both = await Promise.all([add('one'), add('other')]);
    expect(both.filter(Boolean)).toHaveLength(1);
    const first = both[0] ? 'one' : 'other';
    expect(await jobs.underWay(press, 'e')).toMatchObject({ isMade: false });
    // The same event again is no other press.
    expect(await jobs.underWay(press, `event of ${first}`)).toBeUndefined();
    expect(await add('bob’s', { press: 'video.same_seed:x bob' })).toBe(true);
    await database
      .insertInto('renders')
      .values(renderRow('r', { job: first, state: 'ready' }))
      .execute();
    await jobs.end(first, 'done');
    expect(await jobs.underWay(press, 'e')).toMatchObject({ job: { id: first }, isMade: true });
    expect(await add('third')).toBe(false);
    expect(await jobs.find('third')).toBeUndefined();
    await database.updateTable('renders').set({ state: 'waiting' }).execute();
    expect(await jobs.underWay(press, 'e')).toMatchObject({ isMade: false });
    // Its requester isn't told yet, but nothing comes of it.
    await database.updateTable('renders').set({ state: 'failed' }).execute();
    expect(await jobs.underWay(press, 'e')).toBeUndefined();
    await database.updateTable('renders').set({ state: 'delivered', delivered: '{}' }).execute();
    expect(await jobs.underWay(press, 'e')).toBeUndefined();
    expect(await add('third')).toBe(true);
    await jobs.end('third', 'failed');
    expect(await add('fourth')).toBe(true);
  });

  it('takes a form once, unless what it gave failed, or a question about it ended without an answer', async () => {
    const database = await databaseOfTest(await fresh());
    const jobs = createJobs(database);
    const send = (id: string, state?: 'asking') =>
      jobs.add({ ...job, id, press: formPress('V1') }, `event of ${id}`, state);
    expect(await send('one')).toBe(true);
    expect(await send('two')).toBe(false);
    await jobs.end('one', 'failed');
    expect(await send('two', 'asking')).toBe(true);
    expect(await send('three')).toBe(false);
    await jobs.endAsked('two');
    expect(await send('three')).toBe(true);
    await jobs.end('three', 'done');
    expect(await send('four')).toBe(false);
  });

  it('forgets old jobs with their renders, and keeps those about which somebody has still to be told', async () => {
    const database = await databaseOfTest(await fresh());
    const jobs = createJobs(database);
    const day = 86_400_000;
    for (const id of ['old', 'delivered', 'open', 'kept', 'running', 'new']) {
      await jobs.add({ ...job, id, createdAt: id === 'new' ? 60 * day : 0 }, `event of ${id}`);
      if (id !== 'running') await jobs.end(id, 'done');
    }
    const renders = [renderRow('delivered', { state: 'ready', delivered: '{}' }), renderRow('open')];
    await database.insertInto('renders').values(renders).execute();
    await database
      .insertInto('deliveries')
      .values({ job_id: 'kept', message: '{}', created_at: 0 })
      .execute();
    for (const [id, ended_at] of Object.entries({ living: null, dead: 1 })) {
      const times = { started_at: 0, seen_at: 0, ended_at };
      await database
        .insertInto('processes')
        .values({ id, platforms: '[]', ...times })
        .execute();
      const turn = { job: `of ${id}`, number: 1, process: id, person: 'ada', place: 'here' };
      await database.insertInto('turns').values(turn).execute();
    }
    expect(await sweep(database, 91 * day)).toBe(2);
    expect(await database.selectFrom('turns').select('job').execute()).toEqual([{ job: 'of living' }]);
    const left = await database.selectFrom('jobs').select('id').orderBy('id').execute();
    expect(left.map(({ id }) => id)).toEqual(['kept', 'new', 'open', 'running']);
  });

  it('forgets what has expired and old jobs a thousand at a time: a statement may take seconds only', async () => {
    const database = await databaseOfTest(await fresh());
    const expired = Array.from({ length: 1_250 }, (_, index) => ({
      ...{ key: `key ${index}`, value: '1', expires: 1 },
    }));
    await database.insertInto('keyv').values(expired).execute();
    const values = Array.from({ length: 2_500 }, (_, index) => ({
      ...{ id: `job ${index}`, event_id: `event ${index}`, command: 'ask', options: '{}', address: '{}' },
      ...{ requester: '{}', state: 'done' as const, created_at: 0 },
    }));
    for (const rows of [values.slice(0, 1_250), values.slice(1_250)])
      await database.insertInto('jobs').values(rows).execute();
    let most = 0;
    const watched = database.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        most = Math.max(most, Number(result.numAffectedRows ?? 0));
        return result;
      },
    });
    expect(await sweep(watched, 91 * 86_400_000)).toBe(3_750);
    expect(most).toBe(1_000);
  });

  it('keeps the latest hundred changes of settings of each place, however many people make', async () => {
    const database = await databaseOfTest(await fresh());
    const change = {
      platform: 'discord',
      workspace: 'w',
      name: 'persona',
      person: 'ada',
      person_name: 'Ada',
    };
    const changes = ['one', 'other'].flatMap((channel, of) =>
      Array.from({ length: of === 0 ? 130 : 20 }, (_, index) => ({
        ...{ ...change, channel, id: `${channel} ${index}`, before: null, after: 'x', changed_at: index },
      })),
    );
    await database.insertInto('setting_changes').values(changes).execute();
    await sweep(database, 1_000);
    const left = await database.selectFrom('setting_changes').select(['channel', 'changed_at']).execute();
    const of = (name: string) => left.filter(({ channel }) => channel === name);
    expect([of('one').length, of('other').length]).toEqual([100, 20]);
    expect(Math.min(...of('one').map(({ changed_at }) => Number(changed_at)))).toBe(30);
  });

  it('forgets the rest where something of it can’t be deleted, and says so', async () => {
    const database = await databaseOfTest(await fresh());
    await database.insertInto('keyv').values({ key: 'old', value: '1', expires: 1 }).execute();
    await sql`insert into rates (key, points, expire) values ('old', 1, 1)`.execute(database);
    const broken = database.withPlugin({
      transformQuery: ({ node }) => {
        if (JSON.stringify(node).includes('"keyv"')) throw new Error('it takes too long');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await expect(sweep(broken, 91 * 86_400_000)).rejects.toThrow('it takes too long');
    expect(await database.selectFrom('rates').select('key').execute()).toEqual([]);
  });
});
