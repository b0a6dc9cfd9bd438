import { describe, expect, it, vi } from 'vitest';
import { patience } from '../patience.ts';
import { isBack, leasing, query, type StallingClock, timedDatabase } from './support/leases.ts';

type Leasing = Awaited<ReturnType<typeof leasing>>;
const cut = ({ own, pool }: Leasing) => [own, pool].map((cable) => cable.cut());
const mend = ({ own, pool }: Leasing) => [own, pool].map((cable) => cable.mend());

describe('a process that stood still', () => {
  it('asks nobody as long as it runs, also where the database is away', async () => {
    const one = await leasing(await timedDatabase(), 'one');
    await one.renew();
    expect(one.lease.untilAlive()).toBeUndefined();
    cut(one);
    for (let renewals = 0; renewals < 60; renewals++) await one.renew();
    expect(one.lease.untilAlive()).toBeUndefined();
  });

  it.each([
    ['was stopped', (clock: StallingClock) => clock.stall(9_000)],
    ['was suspended with its machine', (clock: StallingClock) => clock.step(9_000)],
  ])('goes on once the database has confirmed that it lives: it %s', async (_, standStill) => {
    const one = await leasing(await timedDatabase(), 'one');
    await one.renew();
    standStill(one.clock);
    const confirmed = one.lease.untilAlive();
    expect(confirmed).toBeDefined();
    // At once, not at the next renewal.
    await confirmed;
    expect(one.lease.untilAlive()).toBeUndefined();
  });

  it('waits for that as long as the database is away', async () => {
    const one = await leasing(await timedDatabase(), 'one');
    await one.renew();
    cut(one);
    one.clock.stall(9_000);
    const went = vi.fn();
    void one.lease.untilAlive()?.then(went);
    await one.renew();
    expect(went).not.toHaveBeenCalled();
    mend(one);
    await isBack(one.connection, undefined);
    await one.renew();
    expect(went).toHaveBeenCalled();
  });

  it('stops several times, each too short to be missed', async () => {
    const one = await leasing(await timedDatabase(), 'one');
    await one.renew();
    one.clock.stall(3_000);
    expect(one.lease.untilAlive()).toBeUndefined();
    one.clock.stall(3_000);
    expect(one.lease.untilAlive()).toBeUndefined();
    one.clock.stall(1_500);
    await expect(one.lease.untilAlive()).resolves.toBeUndefined();
  });

  it('never goes on where others took it for dead meanwhile', async () => {
    const shared = await timedDatabase();
    const one = await leasing(shared, 'one');
    await one.renew();
    await query(shared.url, `update processes set ended_at = 1 where id = 'one'`);
    one.clock.stall(9_000);
    const went = vi.fn();
    void one.lease.untilAlive()?.then(went);
    await vi.waitFor(() => expect(one.takenForDead).toHaveBeenCalledTimes(1), patience);
    await one.clock.advance(60_000);
    expect(one.lease.untilAlive()).toBeDefined();
    expect(went).not.toHaveBeenCalled();
  });
});
