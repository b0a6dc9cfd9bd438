import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Credits } from '../../src/credits/index.ts';
import type { Job } from '../../src/port/index.ts';
import { RenderStore } from '../../src/renders/render-store.ts';
import { createJobs, type Database, openDatabase, Processes } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';

/** Statements whose answers get lost on the way, with their connections: they are done, and nobody hears of it. */
let lose: RegExp | undefined;
let losses: number;
let database: Database;
/** Looks at the database by another way. */
let direct: Database;

beforeEach(async () => {
  lose = undefined;
  losses = 0;
  const url = new URL(await freshPostgres());
  direct = await openDatabase(url.href);
  await new Processes(direct).begin('p', new Map());
  const upstream = Number(url.port);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(upstream, url.hostname);
    let isLost = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [client, server].map((one) => one.destroy()));
    }
    client.on('data', (data) => {
      isLost ||= lose?.test(data.toString('latin1')) === true && losses > 0;
      server.write(data);
    });
    server.on('data', (data) => {
      if (!isLost) return void client.write(data);
      losses -= 1;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  url.port = String(port);
  database = await openDatabase(url.href);
  onTestFinished(async () => {
    await database.destroy();
    await direct.destroy();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
});

const job: Job = {
  id: 'job',
  command: 'imagine',
  options: {},
  address: { platform: 'console', workspace: 'w', channel: 'c' },
  requester: { id: 'ann', name: 'Ann', locale: 'en', administrator: false, moderator: false },
  createdAt: 1,
};
const ids = async (table: 'jobs' | 'renders') =>
  (await direct.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id);

describe('a write whose answer is lost', () => {
  it('of a command: it’s on record once, and its event is its own', async () => {
    [lose, losses] = [/insert into "jobs"/, 1];
    const jobs = createJobs(database, 'p');
    expect(await jobs.add(job, 'event')).toBe(true);
    expect(await jobs.add({ ...job, id: 'other' }, 'event')).toBe(false);
    expect(await ids('jobs')).toEqual(['job']);
  });

  it('of a command, twice: the caller is told, and the event can be answered later', async () => {
    [lose, losses] = [/insert into "jobs"/, 2];
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
    [lose, losses] = [/(?<!_)commit/, count];
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
    [lose, losses] = [/insert into "renders"/, count];
    const message = { ...job.address, message: 'm' };
    const render = {
      job: 'job',
      kind: 'image',
      request: {},
      conversationId: 'x',
      message,
      createdAt: 1,
    } as const;
    const parts = [1, 2].map((part) => ({ ...render, part, parts: 2 }));
    const added = new RenderStore(database, () => 1, 'p').add(parts as never);
    expect(
      await added.then(
        () => 'added',
        () => 'failed',
      ),
    ).toBe(count === 1 ? 'added' : 'failed');
    await vi.waitFor(async () => expect((await ids('renders')).length).toBe(left.length), patience);
  });

  it('of a reservation: nothing is reserved; of its end: it counts once', async () => {
    await createJobs(database, 'p').add(job, 'event');
    const credits = new Credits({ database, clock: new FakeClock(), process: 'p' } as never);
    const call = {
      job,
      budgets: [],
      conversationId: 'x',
      kind: 'image',
      model: 'image 2k',
      quantity: { images: 1 },
      estimate: { low: 5, high: 5 },
    } as const;
    const used = async () =>
      (await direct.selectFrom('budget_use').select('high').where('platform', '=', '').executeTakeFirst())
        ?.high;
    [lose, losses] = [/commit/, 1];
    await expect(credits.reserve(call)).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY' });
    await vi.waitFor(async () => expect(await used()).toBe(0), patience);
    const reservation = await credits.reserve(call);
    [lose, losses] = [/with changed/, 1];
    await reservation.settle({ credits: { low: 3, high: 3 } });
    await vi.waitFor(async () => expect(await used()).toBe(3_000_000), patience);
    const states = await direct.selectFrom('ledger').select(['state', 'high']).orderBy('high').execute();
    expect(states).toEqual([
      { state: 'failed', high: 0 },
      { state: 'spent', high: 3_000_000 },
    ]);
  });
});
