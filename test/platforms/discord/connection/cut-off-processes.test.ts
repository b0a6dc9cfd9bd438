import { describe, expect, it } from 'vitest';
import { ShardOwnership } from '../../../../src/platforms/discord/connection/shard-ownership.ts';
import { FakeClock, settle } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { patience } from '../../../patience.ts';
import { gatewayParts, type Process, Processes, recordsInMemory } from '../support/processes.ts';

const second = 1_000;

/** Waits while the processes' time stands still. */
const hears = ({ heard }: Process, text: string) => expect.poll(() => heard, patience).toContain(text);
const areReady = (...processes: readonly Process[]) =>
  processes.every(({ gateway }) => gateway.notReady() === undefined);

/** Two processes, the first of which has the shard, and is taken for dead while something is wrong with it. */
async function takenOver(trouble: 'frozen' | 'cut off', formerSocket: 'refused' | 'works' = 'refused') {
  const { bot, first } = await Processes.startWithOne(1, { formerSocket });
  const next = await bot.start();
  first.gets(trouble);
  await first.isTakenForDead();
  // It looks by then.
  await bot.clock.advance(2 * second);
  await expect.poll(() => next.shards.length === 1 && areReady(next), patience).toBe(true);
  return { bot, first, next };
}

describe.each(['refused', 'works'] as const)(
  'where a session’s first socket stays open: %s',
  (formerSocket) => {
    it('one that froze leaves its shard to the one that took it', async () => {
      const { bot, first, next } = await takenOver('frozen', formerSocket);
      bot.writes('meanwhile');
      await hears(next, 'meanwhile');
      first.gets();
      bot.writes('after');
      await hears(next, 'after');
      await bot.clock.advance(60 * second);
      expect(bot.count).toEqual([1, 1]);
      expect(first.heard).toEqual([]);
      expect(next.heard).toEqual(['meanwhile', 'after']);
    });

    it('one that is cut off from the database does so, too, and takes it back by nothing', async () => {
      const { bot, first, next } = await takenOver('cut off', formerSocket);
      bot.writes('meanwhile');
      await hears(next, 'meanwhile');
      bot.discord.gateway.drop();
      bot.writes('after');
      await hears(next, 'left: after');
      await bot.clock.advance(50 * second);
      expect(bot.count).toEqual([1, 2]);
      expect(first.heard).toEqual([]);
    });
  },
);

it('what one hears that takes its session back without the database is left to the shard’s holder', async () => {
  const { bot, first, next } = await takenOver('cut off');
  const { gateway, world } = bot.discord;
  const resumed = gateway.resumeCount;
  const write = () => {
    if (gateway.resumeCount === resumed) return;
    world.off('change', write);
    bot.writes('to both');
  };
  world.on('change', write);
  await bot.discord.until('the session to be taken back', () => gateway.resumeCount > resumed);
  await hears(next, 'left: to both');
  expect(first.heard).toEqual(['to both']);
});

it('one that is cut off for long tries that less and less often', async () => {
  const clock = new FakeClock();
  const records = recordsInMemory(clock);
  const { startingWith } = records;
  let look = startingWith;
  const ownership: ShardOwnership = new ShardOwnership(
    {
      ...gatewayParts({ token: '' }),
      ...{ clock, coordination: processesSharing(clock)() },
      records: { ...records, startingWith: (prefix) => look(prefix) },
    },
    {
      ...{ ids: [0], count: 1, settings: [] },
      create: (id) => ({ id, open: () => {}, close: async () => {} }) as never,
    },
  );
  await expect.poll(() => ownership.shards, patience).toHaveLength(1);
  const [shard] = ownership.shards;
  const minutesOf = async (connects = true) => {
    let minutes = 0;
    let isAllowed = false;
    void ownership.mayConnect(shard!).then((may) => {
      isAllowed = may;
    });
    await settle();
    for (; !isAllowed; minutes++) await clock.advance(60 * second);
    if (connects) void ownership.changed(shard!);
    return minutes;
  };
  look = () => Promise.reject(new Error('cut off'));
  expect([await minutesOf(false), await minutesOf(false)]).toEqual([1, 1]);
  expect([await minutesOf(), await minutesOf(), await minutesOf()]).toEqual([1, 2, 4]);
  look = startingWith;
  await clock.advance(2 * second);
  expect(await minutesOf()).toBe(0);
  look = () => Promise.reject(new Error('cut off'));
  expect(await minutesOf()).toBe(1);
  await ownership.close();
});

it('one whose clock is ahead takes nothing from one that lives', async () => {
  const { bot, first } = await Processes.startWithOne(1);
  bot.clockIsAhead(10 * 60 * second);
  const next = await bot.start();
  await bot.clock.advance(60 * second);
  expect([first.shards, next.shards]).toEqual([[0], []]);
  expect(bot.count).toEqual([1, 0]);
});

it('a process that can’t reach the gateway leaves its shard to another after five minutes', async () => {
  const bot = await Processes.start(1);
  const first = await bot.start(undefined, false, 'ws://127.0.0.1:9');
  await expect.poll(() => first.shards, patience).toEqual([0]);
  const begun = bot.clock.steady();
  const next = await bot.start();
  await bot.clock.advance(begun + 290 * second - bot.clock.steady());
  expect([first.shards, next.shards]).toEqual([[0], []]);
  await bot.clock.advance(15 * second);
  await bot.discord.until('the connection', () => next.shards.length === 1 && areReady(next));
  bot.writes('hello');
  await next.hears('hello');
  expect(bot.count).toEqual([1, 0]);
});

describe('while the database is away', () => {
  it('what’s written is heard, and a connection that’s lost comes back with it: nothing is lost', async () => {
    const { bot, first: only } = await Processes.startWithOne(1);
    only.gets('cut off');
    bot.writes('meanwhile');
    await hears(only, 'meanwhile');
    bot.discord.gateway.drop();
    await expect.poll(() => areReady(only), patience).toBe(false);
    bot.writes('unheard');
    await bot.clock.advance(10 * second);
    expect(only.heard).toEqual(['meanwhile']);
    only.gets();
    await only.hears('unheard');
    expect(bot.count).toEqual([1, 1]);
  });

  it('a connection that’s lost comes back within a minute: people are told of the outage', async () => {
    const { bot, first: only } = await Processes.startWithOne(1);
    only.gets('cut off');
    bot.discord.gateway.drop();
    await expect.poll(() => areReady(only), patience).toBe(false);
    bot.writes('in the outage');
    await bot.clock.advance(65 * second);
    await only.hears('in the outage');
    expect(bot.count).toEqual([1, 1]);
  });

  it('a session can begin: it’s on record as soon as that is back', async () => {
    const bot = await Processes.start(1);
    const { change } = bot.records;
    // So that it has the shard on record, and then nothing more.
    bot.records.change = async (...taken) => {
      bot.records.change = change;
      const row = await change(...taken);
      only.gets('cut off');
      return row;
    };
    const only = await bot.start(undefined, false);
    await bot.discord.until('the connection', () => areReady(only));
    await bot.clock.advance(3 * second);
    expect(bot.rows[0]?.session).toBeUndefined();
    only.gets();
    await bot.clock.advance(second);
    expect(bot.rows[0]?.session).toBeDefined();
  });

  it('a process that starts waits for it', async () => {
    const bot = await Processes.start(1);
    const late = await bot.start(undefined, false);
    late.gets('cut off');
    await bot.clock.advance(10 * second);
    expect(late.gateway.notReady()).toBeDefined();
    late.gets();
    await bot.discord.until('the connection', () => areReady(late));
  });
});
