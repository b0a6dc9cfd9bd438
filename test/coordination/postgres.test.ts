import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OwnConnection } from '../../src/coordination/own-connection.ts';
import { FakeClock } from '../fakes/clock.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import { log, ownServer, query, several } from './support/leases.ts';

/** A server that doesn't know a setting: on the way there, its name becomes one that doesn't exist. */
async function withoutSetting(url: string, setting: string): Promise<string> {
  const address = new URL(url);
  const { hostname, port } = address;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('data', (data) => {
      const text = data.toString('latin1').replaceAll(setting, setting.toUpperCase().replaceAll('_', 'x'));
      upstream.write(Buffer.from(text, 'latin1'));
    });
    upstream.pipe(client);
    for (const socket of [client, upstream])
      socket.on('error', () => {}).on('close', () => [client, upstream].map((one) => one.destroy()));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  address.port = String((server.address() as AddressInfo).port);
  return address.href;
}

/** Has a process try to connect until it's back; what it waits for longer than between two tries goes on waiting. */
const triesUntil = (clock: FakeClock, isBack: () => boolean) =>
  vi.waitUntil(() => isBack() || clock.runNext(1_000).then(isBack), patience);

it('works with PostgreSQL 13, which has no timeout for idle sessions', async () => {
  const [one] = await several(1, await withoutSetting(await freshPostgres(), 'idle_session_timeout'));
  expect(await one?.locks.run('key', async () => 'done')).toBe('done');
});

describe('signals', () => {
  it('reach every process, the sender too', async () => {
    const [one, two] = await several(2, await freshPostgres());
    const heard: string[] = [];
    const stop = one?.signals.on('news', (text) => heard.push(`one: ${text}`));
    two?.signals.on('news', (text) => heard.push(`two: ${text}`));
    await two?.signals.send('news', 'a\nb');
    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['one: a\nb', 'two: a\nb']), patience);
    stop?.();
    await one?.signals.send('news', 'c');
    await vi.waitFor(() => expect(heard).toContain('two: c'), patience);
    expect(heard).not.toContain('one: c');
  });

  it('are heard again after a restart of the database', async () => {
    const server = await ownServer();
    const [one, two] = await several(2, server.url());
    await server.kill();
    await server.start();
    const heard = vi.fn();
    two?.signals.on('news', heard);
    await vi.waitFor(async () => {
      await one?.signals.send('news', 'back');
      expect(heard).toHaveBeenCalledWith('back');
    }, patience);
  });

  it('take 7,000 bytes and refuse more', async () => {
    const [one] = await several(1, await freshPostgres());
    const heard = vi.fn();
    one?.signals.on('news', heard);
    await one?.signals.send('news', 'x'.repeat(7_000));
    await expect(one?.signals.send('news', 'é'.repeat(3_501))).rejects.toThrow('7000 bytes');
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith('x'.repeat(7_000)), patience);
  });
});

it('answers again after a server that froze was given up', async () => {
  const server = await ownServer();
  const clock = new FakeClock();
  const connection = new OwnConnection({ settings: { connectionString: server.url() }, clock, log });
  await connection.open();
  onTestFinished(() => connection.close());
  server.freeze();
  const asked = connection.sessionSoon().then((session) => session.query('select 1'));
  const refused = expect(asked).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY', state: 'ETIMEDOUT' });
  await clock.advance(5_000);
  await refused;
  server.thaw();
  const again = connection.sessionSoon().then((session) => session.query('select 1 as one'));
  await triesUntil(clock, () => connection.session !== undefined);
  expect((await again).rows).toEqual([{ one: 1 }]);
});

it('leaves a server that takes no writes any more, and is back once one does', async () => {
  const url = await freshPostgres();
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = 'postgres';
  const inNewSessions = (mode: 'on' | 'off') =>
    query(server.href, `alter database "${name}" set default_transaction_read_only = ${mode}`);
  const clock = new FakeClock();
  const connection = new OwnConnection({ settings: { connectionString: url }, clock, log });
  await connection.open();
  onTestFinished(() => connection.close());
  const session = await connection.sessionSoon();
  await inNewSessions('on');
  await session.query('set session characteristics as transaction read only');
  await expect(session.query('delete from rates')).rejects.toMatchObject({ state: '25006' });
  await vi.waitUntil(() => connection.session === undefined, patience);
  for (let tries = 0; tries < 3; tries++) await vi.waitUntil(() => clock.runNext(1_000), patience);
  expect(connection.session).toBeUndefined();
  await inNewSessions('off');
  await triesUntil(clock, () => connection.session !== undefined);
  await connection.session?.query('delete from rates');
});
