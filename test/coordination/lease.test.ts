import { describe, expect, it, vi } from 'vitest';
import { patience } from '../patience.ts';
import { isBack, leasing, longestSpacing, query, timedDatabase } from './support/leases.ts';

const endedAt = (url: string, id: string) =>
  query(url, 'select ended_at from processes where id = $1', [id]).then(([row]) => row?.ended_at);
const hour = 3_600_000;

describe('a process whose lease is not renewed', () => {
  it('is dead after 8 seconds where it is gone, after 16 where it hangs with its connections open; all are told', async () => {
    const shared = await timedDatabase();
    const [one, gone, hanging, four] = [
      await leasing(shared, 'one'),
      await leasing(shared, 'gone'),
      await leasing(shared, 'hanging'),
      await leasing(shared, 'four'),
    ];
    for (const cable of [gone.own, gone.pool]) cable.cut();
    for (let renewals = 0; renewals < 6; renewals++) await one.renew();
    expect(await endedAt(shared.url, 'gone')).toBeNull();
    await one.renew();
    // On a busy machine, PostgreSQL notices a lost connection later; the time that counts stands still meanwhile.
    await vi.waitFor(async () => {
      await one.renew(0);
      expect(await endedAt(shared.url, 'gone')).not.toBeNull();
    }, patience);
    for (let renewals = 0; renewals < 5; renewals++) await one.renew();
    expect(await endedAt(shared.url, 'hanging')).toBeNull();
    await four.renew(0);
    await one.renew();
    expect(await endedAt(shared.url, 'hanging')).not.toBeNull();
    expect(await endedAt(shared.url, 'four')).toBeNull();
    for (const each of [one, four])
      await vi.waitFor(() => expect(each.gone).toHaveBeenCalledTimes(2), patience);
    await one.renew(0);
    expect(one.gone).toHaveBeenCalledTimes(2);
    await hanging.clock.advance(longestSpacing);
    await vi.waitFor(() => expect(hanging.takenForDead).toHaveBeenCalledTimes(1), patience);
    // It asks no more.
    expect(hanging.clock.pending).toBe(0);
  });

  it('is not dead for one that has not renewed its own all that time: the database was away for both', async () => {
    const shared = await timedDatabase();
    const [one, two] = [await leasing(shared, 'one'), await leasing(shared, 'two')];
    for (let round = 0; round < 3; round++) {
      for (let renewals = 0; renewals < 4; renewals++) for (const each of [one, two]) await each.renew(500);
      for (const each of [one, two]) for (const cable of [each.own, each.pool]) cable.cut();
      await shared.time.pass(60_000);
      for (const each of [one, two]) for (const cable of [each.own, each.pool]) cable.mend();
      await isBack(one.connection, undefined);
      // The other one is back later.
      for (let renewals = 0; renewals < 5; renewals++) await one.renew();
      expect(await endedAt(shared.url, 'two')).toBeNull();
      await isBack(two.connection, undefined);
      await two.renew(0);
    }
    expect(two.takenForDead).not.toHaveBeenCalled();
  });

  it.each([
    ['back', -hour],
    ['forward', hour],
  ])(
    'nor is one that lives when somebody sets the clock of the database %s; one that is gone is',
    async (_, step) => {
      const shared = await timedDatabase();
      const [one, two] = [await leasing(shared, 'one'), await leasing(shared, 'two')];
      const gone = await leasing(shared, 'gone');
      for (const cable of [gone.own, gone.pool]) cable.cut();
      const renew = async () => {
        for (const each of [one, two]) await each.renew(600);
      };
      for (let renewals = 0; renewals < 5; renewals++) await renew();
      await shared.time.pass(step);
      for (let renewals = 0; renewals < 6; renewals++) await renew();
      expect(await endedAt(shared.url, 'gone')).toBeNull();
      await renew();
      await renew();
      expect(await endedAt(shared.url, 'gone')).not.toBeNull();
      for (const each of [one, two]) expect(each.takenForDead).not.toHaveBeenCalled();
    },
  );
});

describe('a process that renews its lease', () => {
  it('goes on though it’s late, as long as nobody has ended it', async () => {
    const shared = await timedDatabase();
    const one = await leasing(shared, 'one');
    await one.renew(60_000);
    await one.renew();
    expect(one.takenForDead).not.toHaveBeenCalled();
  });

  it('does so over the pool while its own connection is away', async () => {
    const shared = await timedDatabase();
    const [one, two] = [await leasing(shared, 'one'), await leasing(shared, 'two')];
    one.own.cut();
    await vi.waitUntil(() => one.connection.session === undefined, patience);
    for (let renewals = 0; renewals < 10; renewals++) for (const each of [one, two]) await each.renew();
    expect(await endedAt(shared.url, 'one')).toBeNull();
    // So it learns there that others took it for dead.
    await query(shared.url, `update processes set ended_at = 1 where id = 'one'`);
    await one.clock.advance(longestSpacing);
    await vi.waitFor(() => expect(one.takenForDead).toHaveBeenCalledTimes(1), patience);
  });

  it('is put on record again where the database has come back without it: nobody took it for dead', async () => {
    const shared = await timedDatabase();
    const one = await leasing(shared, 'one');
    await query(shared.url, 'delete from processes');
    await one.renew();
    expect(one.beginAgain).toHaveBeenCalledTimes(1);
    await one.renew();
    expect(await endedAt(shared.url, 'one')).toBeNull();
    expect(one.takenForDead).not.toHaveBeenCalled();
  });

  it('hears of one that ended at once, and sees it at the next renewal where it did not', async () => {
    const shared = await timedDatabase();
    const [one, two] = [await leasing(shared, 'one'), await leasing(shared, 'two')];
    await leasing(shared, 'three');
    await one.renew(0);
    await query(shared.url, `update processes set ended_at = 1 where id = 'two'`);
    await two.lease.ended();
    await vi.waitFor(() => expect(one.gone).toHaveBeenCalledTimes(1), patience);
    await one.renew(0);
    expect(one.gone).toHaveBeenCalledTimes(1);
    await query(shared.url, `update processes set ended_at = 1 where id = 'three'`);
    await one.renew(0);
    expect(one.gone).toHaveBeenCalledTimes(2);
  });

  it('sees that one is not connected any more, or hangs, long before that one is dead', async () => {
    const shared = await timedDatabase();
    const [one, two] = [await leasing(shared, 'one'), await leasing(shared, 'two')];
    const sees = async () => [...(await one.lease.present())].toSorted().join();
    expect(await sees()).toBe('one,two');
    two.own.cut();
    await vi.waitUntil(async () => (await sees()) === 'one', patience);
    await one.renew(0);
    expect([...(await one.lease.living())].toSorted()).toEqual(['one', 'two']);
    two.own.mend();
    await vi.waitUntil(async () => (await sees()) === 'one,two', patience);
    for (let renewals = 0; renewals < 4; renewals++) await one.renew();
    expect(await sees()).toBe('one');
    await two.renew(0);
    expect(await sees()).toBe('one,two');
  });
});
