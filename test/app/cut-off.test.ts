import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { meteredAnswer, meteredSpeech } from '../../src/app/metered-calls.ts';
import { Credits } from '../../src/credits/index.ts';
import { CancelledError, ServiceClient } from '../../src/service/index.ts';
import { createJobs, type Database, openDatabase, Processes } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { Cable, freshPostgres } from '../fakes/postgres/index.ts';
import { jobCalled } from '../fakes/records.ts';
import { patience } from '../patience.ts';

/** What the service has been asked to make; it refused the first request for now. */
let asked: string[];
let service: ServiceClient;
let clock: FakeClock;
let cable: Cable;
let credits: Credits;
/** How others see the database. */
let direct: Database;
let here: Database;

const job = jobCalled('job', { command: 'speak', createdAt: 1 });

beforeEach(async () => {
  asked = [];
  clock = new FakeClock();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    request.resume();
    if (asked.length === 1) return void response.writeHead(429, { 'retry-after': '25' }).end();
    const isSpeech = request.url?.endsWith('/speech');
    response.setHeader('content-type', isSpeech ? 'audio/mpeg' : 'text/event-stream');
    response.end(
      isSpeech ? 'ID3 a clip' : 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n',
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  service = new ServiceClient({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'sk-svc-test', clock });
  const url = await freshPostgres();
  cable = await Cable.to(url);
  [direct, here] = [await openDatabase(url), await openDatabase(cable.url)];
  await new Processes(direct).begin('here', new Map());
  await createJobs(here, 'here').add(job, 'event');
  credits = new Credits({ database: here, process: 'here', clock });
  onTestFinished(async () => {
    await service.close();
    server.closeAllConnections();
    server.close();
    cable.close();
    for (const database of [direct, here]) await database.destroy();
  });
});

const kinds = {
  'a clip': (signal?: AbortSignal) => {
    const request = { input: 'Good morning.', voice: 'zh_female_vv_uranus_bigtts' };
    const order = { job, budgets: [], conversationId: 'conversation', request };
    return meteredSpeech({ service, credits }, order, { signal });
  },
  'an answer': async (signal?: AbortSignal) => {
    const messages = [{ role: 'user', content: 'Hello?' }] as const;
    const order = {
      job,
      budgets: [],
      model: 'svc-llm-1.5',
      messages,
      conversationId: 'conversation',
      mostUnasked: Number.POSITIVE_INFINITY,
    } as const;
    for await (const _ of meteredAnswer({ service, credits }, order, { signal }));
  },
};

const row = () => direct.selectFrom('ledger').select(['state', 'high', 'sent_at']).executeTakeFirstOrThrow();
const until = (what: () => boolean | Promise<boolean>) => vi.waitUntil(what, patience);

const timePassesUntil = (what: () => boolean | Promise<boolean>) =>
  until(async () => {
    await clock.runNext();
    return what();
  });

/** Begins to make something: the service lets it wait for 25 seconds. */
async function waitsInLine(make: (signal: AbortSignal) => Promise<unknown>) {
  const stop = new AbortController();
  const made = make(stop.signal);
  made.catch(() => {});
  // It's on record that it was sent, and that it wasn't processed.
  await until(async () => asked.length === 1 && (await row()).sent_at === 0);
  return { made, stop };
}

/** Its turn comes, and it tries for a while to put on record that it's sent. */
async function itsTurnComes() {
  await clock.advance(26_000);
  for (let tries = 0; tries < 3; tries++) {
    await until(() => clock.pending > 0);
    await clock.advance(2_000);
  }
}

describe.each(Object.entries(kinds))('%s that waits for its turn in its process', (_, make) => {
  it('is never bought once others have taken that for dead, and costs nothing', async () => {
    await waitsInLine(make);
    cable.cut();
    const processes = new Processes(direct);
    await processes.end('here');
    await processes.begin('there', new Map());
    const theirs = new Credits({ database: direct, process: 'there', clock });
    expect(await theirs.settleAbandoned()).toBe(1);
    await itsTurnComes();
    cable.mend();
    await itsTurnComes();
    expect(asked).toHaveLength(1);
    expect(await row()).toMatchObject({ state: 'failed', high: 0 });
  });

  it('is bought once, when the database is back', async () => {
    const { made } = await waitsInLine(make);
    cable.cut();
    await itsTurnComes();
    expect(asked).toHaveLength(1);
    cable.mend();
    await timePassesUntil(() => asked.length === 2);
    await made;
    expect(await row()).toMatchObject({ state: 'spent' });
  });

  it('can be stopped while the database is away: it’s not bought', async () => {
    const { made, stop } = await waitsInLine(make);
    cable.cut();
    await itsTurnComes();
    stop.abort();
    await expect(made).rejects.toThrow(CancelledError);
    cable.mend();
    await timePassesUntil(async () => (await row()).state !== 'reserved');
    expect(asked).toHaveLength(1);
    expect(await row()).toMatchObject({ state: 'failed', high: 0 });
  });

  it('is put on record again where the database has come back without it', async () => {
    const { made } = await waitsInLine(make);
    for (const table of ['ledger', 'budget_use'] as const) await direct.deleteFrom(table).execute();
    await timePassesUntil(() => asked.length === 2);
    await made;
    const { state, high } = await row();
    expect(state).toBe('spent');
    const used = await direct.selectFrom('budget_use').select('high').where('platform', '=', '').execute();
    expect(used).toEqual([{ high }]);
  });
});
