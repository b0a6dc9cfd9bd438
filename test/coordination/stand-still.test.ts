import { describe, expect, it, vi } from 'vitest';
import { emptyPostgres } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import { cutOff, isBack, ownServer, query, type StallingClock, table, watching } from './support/watching.ts';

describe('a process that stood still', () => {
  it('asks nobody as long as it runs, also where the database is away', async () => {
    const server = await ownServer();
    const url = server.url();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    expect(one.watch.untilAlive()).toBeUndefined();
    await server.stop();
    for (let looks = 0; looks < 60; looks++) await one.look();
    expect(one.watch.untilAlive()).toBeUndefined();
  });

  it.each([
    ['was stopped', (clock: StallingClock) => clock.stall(9_000)],
    ['was suspended with its machine', (clock: StallingClock) => clock.step(9_000)],
  ])('goes on once the database has confirmed that it lives: it %s', async (_, standStill) => {
    const url = await emptyPostgres();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    standStill(one.clock);
    const confirmed = one.watch.untilAlive();
    expect(confirmed).toBeDefined();
    // At once, not at the next look.
    await confirmed;
    expect(one.watch.untilAlive()).toBeUndefined();
  });

  it('waits for that as long as the database is away', async () => {
    const server = await ownServer();
    const url = server.url();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    const lost = one.connection.session;
    await server.stop();
    one.clock.stall(9_000);
    const went = vi.fn();
    void one.watch.untilAlive()?.then(went);
    await one.look();
    expect(went).not.toHaveBeenCalled();
    await server.start();
    await isBack(one.connection, lost);
    await one.look();
    expect(went).toHaveBeenCalled();
  });

  it('stops several times, each too short to be missed', async () => {
    const url = await emptyPostgres();
    await query(url, table);
    const one = await watching(url, 'one');
    await one.look();
    one.clock.stall(3_000);
    expect(one.watch.untilAlive()).toBeUndefined();
    one.clock.stall(3_000);
    expect(one.watch.untilAlive()).toBeUndefined();
    one.clock.stall(1_500);
    await expect(one.watch.untilAlive()).resolves.toBeUndefined();
  });

  it('never goes on where others took it for dead meanwhile, and gets no session any more', async () => {
    const url = await emptyPostgres();
    await query(url, table);
    const [one, two] = [await watching(url, 'one'), await watching(url, 'two')];
    for (const each of [one, two]) await each.look();
    await query(url, `update processes set ended_at = 1 where id = 'one'`);
    one.clock.stall(9_000);
    const went = vi.fn();
    void one.watch.untilAlive()?.then(went);
    await vi.waitFor(() => expect(one.takenForDead).toHaveBeenCalledTimes(1), patience);
    const lost = two.connection.session;
    await cutOff(url);
    await vi.waitUntil(() => one.connection.session === undefined, patience);
    // The other is back.
    await isBack(two.connection, lost);
    expect(one.connection.session).toBeUndefined();
    expect(one.watch.untilAlive()).toBeDefined();
    expect(went).not.toHaveBeenCalled();
  });
});
