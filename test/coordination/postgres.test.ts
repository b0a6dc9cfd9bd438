import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { coordinateOverPostgres } from '../../src/coordination/postgres/index.ts';
import { OwnConnection } from '../../src/coordination/postgres/own-connection.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { FakeClock } from '../fakes/clock.ts';
import { emptyPostgres } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import {
  cutOff,
  isBack,
  log,
  longestSpacing,
  ownServer,
  query,
  table,
  watching,
} from './support/watching.ts';

async function several(count: number, url: string) {
  const all = await Promise.all(
    Array.from({ length: count }, () =>
      coordinateOverPostgres({ settings: { connectionString: url }, clock: systemClock, log }),
    ),
  );
  onTestFinished(async () => void (await Promise.all(all.map((one) => one.close()))));
  return all;
}

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
  const [one] = await several(1, await withoutSetting(await emptyPostgres(), 'idle_session_timeout'));
  expect(await one?.locks.run('key', async () => 'done')).toBe('done');
});

describe('locks', () => {
  it('does the work for a key one piece at a time in all processes', async () => {
    const processes = await several(3, await emptyPostgres());
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise<void>((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    const pieces = processes.flatMap(({ locks }) => Array.from({ length: 10 }, () => locks.run('key', work)));
    await Promise.all(pieces);
    expect(most).toBe(1);
  });

  it('frees the lock when its process dies', async () => {
    const [one, two] = await several(2, await emptyPostgres());
    const begun = Promise.withResolvers<void>();
    void one?.locks.run('a', () => {
      begun.resolve();
      return new Promise(() => {});
    });
    await begun.promise;
    const mine = two?.locks.run('a', async () => 'done');
    await one?.close();
    expect(await mine).toBe('done');
  });

  it('still holds the lock of work under way when the database has been restarted', async () => {
    const server = await ownServer();
    const [one, two] = await several(2, server.url());
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const seen: string[] = [];
    const first = one?.locks.run('a', async () => {
      begun.resolve();
      await end.promise;
      seen.push('first');
    });
    await begun.promise;
    await server.stop();
    await server.start();
    // Both are back, however long that takes.
    for (const each of [one, two]) await vi.waitFor(() => each?.signals.send('any', ''), patience);
    const second = two?.locks.run('a', async () => seen.push('second'));
    await two?.locks.run('b', async () => {});
    end.resolve();
    await Promise.all([first, second]);
    expect(seen).toEqual(['first', 'second']);
  });

  it('says why work could not begin while the database is away, and works again afterwards', async () => {
    const server = await ownServer();
    const clock = new FakeClock();
    const info = vi.fn();
    const one = await coordinateOverPostgres({
      settings: { connectionString: server.url() },
      clock,
      log: { ...log, info },
    });
    onTestFinished(() => one.close());
    await server.stop();
    const work = vi.fn(async () => 'done');
    const refused = expect(one.locks.run('a', work)).rejects.toMatchObject({
      code: 'ERR_POSTGRES_AWAY',
      state: 'ECONNREFUSED',
    });
    const waits = () => vi.waitUntil(() => clock.pending === 2, patience);
    await waits();
    // It has tried to connect, and knows the reason.
    await clock.advance(50);
    await waits();
    await clock.advance(5_000);
    await refused;
    expect(work).not.toHaveBeenCalled();
    await server.start();
    await triesUntil(clock, () => info.mock.calls.length > 0);
    expect(await one.locks.run('a', work)).toBe('done');
  });
});

describe('signals', () => {
  it('reach every process, the sender too', async () => {
    const [one, two] = await several(2, await emptyPostgres());
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
    const [one] = await several(1, await emptyPostgres());
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
  const asked = connection.query('select 1');
  const refused = expect(asked).rejects.toMatchObject({ code: 'ERR_POSTGRES_AWAY', state: 'ETIMEDOUT' });
  await clock.advance(5_000);
  await refused;
  server.thaw();
  const again = connection.query('select 1 as one');
  await triesUntil(clock, () => connection.session !== undefined);
  expect((await again).rows).toEqual([{ one: 1 }]);
});

describe('the other processes', () => {
  const endedAt = (url: string, id: string) =>
    query(url, 'select ended_at from processes where id = $1', [id]).then(([row]) => row?.ended_at);

  it('notices one that died after 8 seconds, and all are told', async () => {
    const url = await emptyPostgres();
    await query(url, table);
    const [one, two, three] = [
      await watching(url, 'one'),
      await watching(url, 'two'),
      await watching(url, 'three'),
    ];
    await one.look();
    await two.connection.close();
    for (let looks = 0; looks < 7; looks++) await one.look();
    expect(await endedAt(url, 'two')).toBeNull();
    for (let looks = 0; looks < 2; looks++) await one.look();
    expect(await endedAt(url, 'two')).not.toBeNull();
    await vi.waitFor(() => expect(one.gone).toHaveBeenCalledTimes(1), patience);
    await vi.waitFor(() => expect(three.gone).toHaveBeenCalledTimes(1), patience);
    await one.look();
    expect(one.gone).toHaveBeenCalledTimes(1);
  });

  it('takes nobody for dead because it looked late or was away itself', async () => {
    const server = await ownServer();
    const url = server.url();
    await query(url, table);
    const [one, two] = [await watching(url, 'one'), await watching(url, 'two')];
    await one.look();
    await two.connection.close();
    await one.look();
    one.clock.stall(60_000);
    await one.look();
    expect(await endedAt(url, 'two')).toBeNull();
    for (let round = 0; round < 2; round++) {
      const lost = one.connection.session;
      await server.stop();
      await server.start();
      await isBack(one.connection, lost);
      for (let looks = 0; looks < 3; looks++) await one.look();
    }
    expect(await endedAt(url, 'two')).toBeNull();
  });

  it('learns that it was taken for dead', async () => {
    const url = await emptyPostgres();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    expect(one.takenForDead).not.toHaveBeenCalled();
    await query(url, 'update processes set ended_at = 1');
    await one.clock.advance(longestSpacing);
    await vi.waitFor(() => expect(one.takenForDead).toHaveBeenCalledTimes(1), patience);
    expect(one.clock.pending).toBe(0);
  });

  it('learns it before it uses a new session, where it was cut off', async () => {
    const url = await emptyPostgres();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    await query(url, 'update processes set ended_at = 1');
    await cutOff(url);
    await vi.waitFor(() => expect(one.takenForDead).toHaveBeenCalledTimes(1), patience);
    await one.clock.advance(longestSpacing);
    expect(one.takenForDead).toHaveBeenCalledTimes(1);
  });

  it('learns it another way while its own connection stays away', async () => {
    const server = await ownServer();
    const url = server.url();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    expect(one.isLiving).not.toHaveBeenCalled();
    await server.stop();
    await vi.waitUntil(() => one.connection.session === undefined, patience);
    await one.look();
    expect(one.isLiving).toHaveBeenCalled();
    expect(one.takenForDead).not.toHaveBeenCalled();
    one.isLiving.mockRejectedValueOnce(new Error('the database is away'));
    await one.look();
    expect(one.takenForDead).not.toHaveBeenCalled();
    one.isLiving.mockResolvedValue(false);
    await one.clock.advance(longestSpacing);
    expect(one.takenForDead).toHaveBeenCalledTimes(1);
  });

  it('hears of one that ended at once, and sees it at the next look where it did not', async () => {
    const url = await emptyPostgres();
    await query(url, table);
    const [one, two, three] = [
      await watching(url, 'one'),
      await watching(url, 'two'),
      await watching(url, 'three'),
    ];
    for (const each of [one, two, three]) await each.look();
    await query(url, `update processes set ended_at = 1 where id = 'two'`);
    await two.watch.ended();
    await vi.waitFor(() => expect(one.gone).toHaveBeenCalledTimes(1), patience);
    await one.look();
    expect(one.gone).toHaveBeenCalledTimes(1);
    await query(url, `update processes set ended_at = 1 where id = 'three'`);
    await one.look();
    expect(one.gone).toHaveBeenCalledTimes(2);
  });
});
