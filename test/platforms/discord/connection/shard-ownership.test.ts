import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../../src/platforms/discord/connection/heard-shards.ts';
import { passWhile } from '../../../fakes/calm.ts';
import { settle } from '../../../fakes/clock.ts';
import { patience } from '../../../patience.ts';
import { type Process, Processes } from '../support/processes.ts';

const second = 1_000;

/** How many shards each process has on record. */
const shares = (...processes: readonly Process[]) => processes.map(({ shards }) => shards.length);
const areReady = (...processes: readonly Process[]) =>
  processes.every(({ gateway }) => gateway.notReady() === undefined);

describe('processes share the shards', () => {
  it('each has one process, whichever starts when', async () => {
    const bot = await Processes.start(4);
    const both = await Promise.all([bot.start(), bot.start()]);
    await bot.discord.until('an equal share', () => shares(...both).join() === '2,2' && areReady(...both));
    for (const shard of [0, 1, 2, 3]) bot.writes(`to ${shard}`, shard);
    await bot.discord.until('all', () => bot.answered.size === 4);
    expect(both.flatMap(({ heard }) => heard)).toHaveLength(4);
    expect(bot.discord.gateway.sessions.size).toBe(4);
  });

  it('one that comes later gets as many, without a log-in, and nothing is lost or comes twice meanwhile', async () => {
    const { bot, first } = await Processes.startWithOne(4);
    const later = await bot.start();
    for (let count = 0; shares(first, later).join() !== '2,2'; count++) {
      bot.writes(`message ${count}`, count % 4);
      await bot.clock.advance(100);
      await bot.discord.until('time to pass', () => true);
    }
    bot.writes('after', 3);
    await bot.discord.until('the last', () => bot.answered.has('after'));
    await bot.discord.until('both', () => areReady(first, later));
    const heard = [...first.heard, ...later.heard].map((text) => text.replace('left: ', ''));
    expect(heard.length).toBe(new Set(heard).size);
    expect(bot.count).toEqual([4, 2]);
    expect(bot.discord.gateway.closeCodes).toEqual([]);
  });

  it('each is told which come and go: what it knows of their servers is old then', async () => {
    const { bot, first } = await Processes.startWithOne(2);
    const later = await bot.start();
    await bot.discord.until('an equal share', () => shares(first, later).join() === '1,1');
    const [given] = later.shards;
    expect(later.moved).toEqual([given]);
    expect(first.moved).toEqual([0, 1, given]);
    await first.gateway.close();
    await bot.discord.until('all', () => shares(later).join() === '2');
    expect(later.moved).toEqual([given, ...first.moved.filter((id) => id !== given)]);
  });

  describe('one that gives a shard away to a slow one', () => {
    /** Two processes, the second of which has asked for a shard and hangs. */
    async function given() {
      const { bot, first } = await Processes.startWithOne(2);
      const slow = await bot.start(undefined, false);
      const { signals } = bot.next();
      signals.on('discord shard wanted', () => slow.gets('frozen'));
      await bot.discord.until('the gift', () => shares(first).join() === '1');
      // All hear of it, the giver too, and only once its word is on the way.
      await settle();
      await signals.send('discord shard free', '');
      return { bot, first, slow };
    }

    it('leaves it to that one', async () => {
      const { bot, first, slow } = await given();
      await bot.clock.advance(1.5 * second);
      expect(shares(first, slow)).toEqual([1, 0]);
      slow.gets();
      await bot.discord.until('the shard', () => shares(slow).join() === '1' && areReady(slow));
      expect(bot.count).toEqual([2, 1]);
    });

    it('takes it back where nobody has taken it two seconds later', async () => {
      const { bot, first } = await given();
      await bot.clock.advance(5 * second);
      await bot.discord.until('the shard', () => shares(first).join() === '2' && areReady(first));
      expect(bot.count).toEqual([2, 1]);
    });
  });

  it('one that hears two requests at once, because it was busy, gives one away', async () => {
    const { bot, first } = await Processes.startWithOne(2);
    const { signals } = bot.next();
    for (const id of [0, 1]) await signals.send('discord shard wanted', keyOf({ id, count: 2 }));
    await bot.discord.until('the gift', () => first.moved.length > 2);
    await settle();
    expect(shares(first)).toEqual([1]);
    expect(first.moved).toHaveLength(3);
  });

  it('three have as many but for one', async () => {
    const bot = await Processes.start(4);
    const all = [await bot.start(), await bot.start(), await bot.start()];
    await bot.discord.until(
      'their shares',
      () =>
        shares(...all)
          .toSorted()
          .join() === '1,1,2',
    );
    const before = bot.count;
    await bot.clock.advance(20 * second);
    expect(bot.count).toEqual(before);
  });

  it('one that has none is ready: it takes over what others leave', async () => {
    const { bot, first } = await Processes.startWithOne(1);
    const second = await bot.start();
    expect(shares(first, second)).toEqual([1, 0]);
    await first.gateway.close();
    bot.writes('meanwhile');
    await bot.discord.until('the answer', () => bot.answered.has('meanwhile'));
    expect(second.shards).toEqual([0]);
    expect(bot.count).toEqual([1, 1]);
  });

  it('what one takes that has just started stays its own, though another waits to take more', async () => {
    const bot = await Processes.start(4);
    await bot.start([0]);
    const second = await bot.start([1, 2, 3], false);
    await expect.poll(() => second.shards, patience).toEqual([1]);
    const third = await bot.start([1, 2, 3], false);
    await expect.poll(() => third.shards, patience).toEqual([2]);
    await bot.clock.advance(5_000);
    await bot.discord.until('all', () => areReady(second, third));
    expect([...second.shards, ...third.shards].toSorted()).toEqual([1, 2, 3]);
    expect(third.shards).toContain(2);
    expect(bot.count).toEqual([4, 0]);
  });

  it('a slice is all that a process takes', async () => {
    const bot = await Processes.start(4);
    const slices = await Promise.all([bot.start([0, 1]), bot.start([2, 3])]);
    await slices[0]?.gateway.close();
    await bot.clock.advance(10 * second);
    expect(slices.map(({ shards }) => shards)).toEqual([[], [2, 3]]);
  });
});

describe('a process that stops', () => {
  it('is followed at once, without another log-in', async () => {
    const bot = await Processes.start(4);
    const both = [await bot.start(), await bot.start()] as const;
    await bot.discord.until('their shares', () => shares(...both).join() === '2,2' && areReady(...both));
    await bot.areOnRecord();
    const resumed = bot.count[1];
    const begun = bot.clock.steady();
    await both[0].gateway.close();
    for (const shard of [0, 1, 2, 3]) bot.writes(`to ${shard}`, shard);
    await bot.discord.until('all', () => bot.answered.size === 4);
    // It leaves free shards to others for a moment: it has two itself.
    expect(bot.clock.steady() - begun).toBeLessThan(500);
    expect(bot.count).toEqual([4, resumed + 2]);
  });

  it('leaves what isn’t on record yet to the next', async () => {
    const bot = await Processes.start(1);
    bot.recordedIn = (text) => (text === 'second' && bot.count[1] === 0 ? undefined : 0);
    const first = await bot.start();
    for (const text of ['first', 'second', 'third']) bot.writes(text);
    await first.hears('third');
    await first.gateway.close();
    bot.writes('fourth');
    const next = await bot.start();
    bot.writes('fifth');
    await next.hears('fifth');
    expect(next.heard).toEqual(['left: second', 'left: third', 'left: fourth', 'fifth']);
    expect([...bot.answered.keys()]).toEqual(['first', 'third', 'second', 'fourth', 'fifth']);
  });

  it('leaves what came twice, which it heard once', async () => {
    const bot = await Processes.start(1);
    const { gateway } = bot.discord;
    const first = await bot.start();
    bot.recordedIn = (text) => (text === 'first' && bot.count[1] < 2 ? undefined : 0);
    for (const text of ['first', 'second']) bot.writes(text);
    await first.hears('second');
    gateway.repeatOnResume = 2;
    gateway.drop();
    await bot.discord.until('the session again', () => gateway.resumeCount === 1);
    bot.writes('third');
    await first.hears('third');
    expect(first.heard).toEqual(['first', 'second', 'third']);
    gateway.repeatOnResume = 0;
    await first.gateway.close();
    const next = await bot.start();
    bot.writes('fourth');
    await next.hears('fourth');
    expect(next.heard.slice(0, 2)).toEqual(['left: first', 'left: second']);
    expect([...bot.answered.keys()]).toEqual(['second', 'third', 'first', 'fourth']);
  });
});

describe('what was missed', () => {
  it('is on record once the process that takes the shard over has caught up', async () => {
    const { bot, first } = await Processes.startWithOne(1);
    const other = await bot.start();
    first.dies();
    bot.writes('meanwhile');
    bot.recordedIn = () => 200;
    await first.isTakenForDead();
    await passWhile(bot.clock, other.caughtUp());
    expect([...bot.answered]).toEqual(['meanwhile']);
  });

  it('is on record once a process has caught up, though another holds the shard', async () => {
    const { bot, first } = await Processes.startWithOne(1);
    const others = [await bot.start(), await bot.start()];
    // Discord tells of it over the network.
    bot.discord.gateway.helloAfter = 500;
    bot.recordedIn = () => 200;
    first.dies();
    bot.writes('meanwhile');
    await first.isTakenForDead();
    await bot.discord.until('the shard', () => shares(...others).includes(1));
    const without = others.find(({ shards }) => shards.length === 0);
    await passWhile(bot.clock, without?.caughtUp() ?? Promise.reject(new Error('both have it')));
    expect([...bot.answered]).toEqual(['meanwhile']);
  });

  it('is on record once the next process has caught up, which waits while Discord doesn’t answer', async () => {
    const { bot, first } = await Processes.startWithOne(2);
    await first.gateway.close();
    for (const shard of [0, 1]) bot.writes(`to ${shard}`, shard);
    bot.discord.gateway.reconnectsAtOnce = 4;
    const next = await bot.start(undefined, false);
    await passWhile(bot.clock, next.caughtUp());
    expect([...bot.answered].toSorted()).toEqual(['to 0', 'to 1']);
    expect(bot.discord.gateway.reconnectsAtOnce).toBe(0);
  });

  it('holds up nobody without a session to go on with', async () => {
    const bot = await Processes.start(2);
    bot.discord.gateway.sendsReady = false;
    const first = await bot.start(undefined, false);
    await passWhile(bot.clock, first.caughtUp());
    expect(first.gateway.shards).toEqual({ ready: 0, wanted: 2 });
  });
});

describe('what happens in the servers of a shard', () => {
  it('is heard again once what was missed after a death is on record, whoever asks', async () => {
    const bot = await Processes.start(2);
    const slices = [await bot.start([0]), await bot.start([1])] as const;
    await bot.areOnRecord();
    const sees = (process: Process) => Promise.all([0, 1].map((shard) => process.hearsOf(shard)));
    expect([await sees(slices[0]), await sees(slices[1])]).toEqual([
      [true, true],
      [true, true],
    ]);
    slices[0].dies();
    bot.writes('meanwhile');
    // Its lease isn't ended yet.
    await bot.clock.advance(500);
    expect(await sees(slices[1])).toEqual([false, true]);
    await slices[0].isTakenForDead();
    bot.recordedIn = () => 5 * second;
    const next = await bot.start([0]);
    await next.hears('left: meanwhile');
    await bot.clock.advance(second);
    expect([await sees(next), await sees(slices[1])]).toEqual([
      [false, true],
      [false, true],
    ]);
    await bot.clock.advance(5 * second);
    await bot.discord.until('the message', () => bot.answered.has('meanwhile'));
    await bot.clock.advance(second);
    expect([await sees(next), await sees(slices[1])]).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('isn’t waited for longer than Discord keeps a session, nor where there was none', async () => {
    const bot = await Processes.start(2);
    const first = await bot.start([0]);
    await bot.discord.until('its session', () => bot.rows.some(({ session }) => session));
    const other = await bot.start([1]);
    expect(await other.hearsOf(0)).toBe(true);
    await first.gateway.close();
    await bot.clock.advance(second);
    expect(await other.hearsOf(0)).toBe(false);
    await bot.clock.advance(85 * second);
    expect(await other.hearsOf(0)).toBe(false);
    await bot.clock.advance(5 * second);
    expect(await other.hearsOf(0)).toBe(true);
    await passWhile(bot.clock, other.caughtUp());
  });

  it('a slice that dies a second time is waited for again', async () => {
    const bot = await Processes.start(2);
    const first = await bot.start([0]);
    await bot.discord.until('its session', () => bot.rows.some(({ session }) => session));
    const other = await bot.start([1]);
    expect(await other.hearsOf(0)).toBe(true);
    // Dies once; a render of the other process waits for it, and is delivered after 90 seconds.
    first.dies();
    await first.isTakenForDead();
    await bot.clock.advance(second);
    expect(await other.hearsOf(0)).toBe(false);
    await bot.clock.advance(91 * second);
    expect(await other.hearsOf(0)).toBe(true);
    // It's back for half an hour. Nothing was ordered there meanwhile, so nobody asks.
    const next = await bot.start([0]);
    await bot.areOnRecord();
    await bot.clock.advance(1_800 * second);
    next.dies();
    await next.isTakenForDead();
    await bot.clock.advance(second);
    expect(await other.hearsOf(0)).toBe(false);
  });

  it('is heard where a process of an earlier version has the shard, whatever one before it has left there', async () => {
    const bot = await Processes.start(2);
    const [first, other] = [await bot.start([0]), await bot.start([1])];
    await bot.areOnRecord();
    // It keeps what it doesn't know.
    await bot.records.change<{ catchingUp?: string }>('gateway session 0/2', 3_600_000, (row) => ({
      ...row,
      catchingUp: 'another',
    }));
    expect([first.shards, await other.hearsOf(0)]).toEqual([[0], true]);
  });
});

describe('a process that dies', () => {
  it('is followed once its lease is ended, and what it hadn’t put on record is answered', async () => {
    const { bot, first } = await Processes.startWithOne(1);
    bot.recordedIn = () => undefined;
    bot.writes('before');
    await first.hears('before');
    first.dies();
    bot.recordedIn = () => 0;
    bot.writes('after');
    const next = await bot.start();
    await bot.clock.advance(10 * second);
    expect(next.heard).toEqual([]);
    await first.isTakenForDead();
    await next.hears('left: after');
    expect(next.heard).toEqual(['left: before', 'left: after']);
    expect(bot.count).toEqual([1, 1]);
  });

  it('has had its sessions on record from the first moment', async () => {
    const bot = await Processes.start(2);
    await bot.start();
    const onRecord = () => bot.rows.flatMap(({ session }) => session?.sessionId ?? []).toSorted();
    await bot.discord.until('both', () => onRecord().length === 2);
    expect(onRecord()).toEqual([...bot.discord.gateway.sessions.keys()].toSorted());
  });

  it.each([
    { how: 'at once', asksForContent: false },
    { how: 'after Discord refused the content of messages', asksForContent: true },
  ])(
    'of a message leaves it to two more at most: the next one logs in anew, $how',
    async ({ asksForContent }) => {
      const bot = await Processes.start(1);
      bot.asksForContent = asksForContent;
      bot.recordedIn = () => undefined;
      const heard: string[][] = [];
      for (let death = 0; death < 4; death++) {
        const process = await bot.start();
        if (death === 0) {
          await bot.areOnRecord();
          bot.writes('poison');
        }
        if (death < 3) await process.hears(death === 0 ? 'poison' : 'left: poison');
        await bot.clock.advance(2 * second);
        heard.push(process.heard);
        process.dies();
        await process.isTakenForDead();
      }
      expect(heard).toEqual([['poison'], ['left: poison'], ['left: poison'], []]);
      expect(bot.count).toEqual([2, 2]);
    },
  );

  it('is counted before what kills it is handled', async () => {
    const bot = await Processes.start(1);
    let process = await bot.start();
    await bot.areOnRecord();
    const heard: string[][] = [];
    bot.recordedIn = () => {
      heard.push(process.heard);
      return void process.dies();
    };
    bot.writes('poison');
    // The database takes longer than Discord.
    const { change } = bot.records;
    bot.records.change = async (...changed) => {
      const by = process;
      for (let turn = 0; turn < 10; turn++) await settle();
      await by.canRecord();
      return change(...changed);
    };
    for (let death = 1; death <= 3; death++) {
      await expect.poll(() => heard.length, patience).toBe(death);
      await process.isTakenForDead();
      process = await bot.start(undefined, false);
    }
    await bot.discord.until('the connection', () => areReady(process));
    expect(heard).toEqual([['poison'], ['left: poison'], ['left: poison']]);
    expect(bot.count).toEqual([2, 2]);
  });

  it('isn’t counted if Discord was never asked to go on with the session: that is kept', async () => {
    const bot = await Processes.start(1);
    let process = await bot.start();
    await bot.areOnRecord();
    const next = async (connects: boolean) => {
      process.dies();
      await process.isTakenForDead();
      bot.discord.gateway.reconnectsAtOnce = connects ? 0 : Number.POSITIVE_INFINITY;
      process = await bot.start(undefined, connects);
      await expect.poll(() => process.shards, patience).toEqual([0]);
    };
    for (let death = 0; death < 3; death++) {
      await next(false);
      bot.writes(`meanwhile ${death}`);
    }
    await next(true);
    expect(process.heard).toEqual(['left: meanwhile 0', 'left: meanwhile 1', 'left: meanwhile 2']);
    expect(bot.count).toEqual([1, 1]);
  });
});
