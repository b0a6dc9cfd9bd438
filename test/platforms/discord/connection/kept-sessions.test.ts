import { GatewayDispatchEvents, PermissionFlagsBits } from 'discord-api-types/v10';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alone } from '../../../../src/coordination/index.ts';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { Gateway } from '../../../../src/platforms/discord/connection/gateway.ts';
import {
  type KeptSession,
  KeptSessions,
} from '../../../../src/platforms/discord/connection/kept-sessions.ts';
import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { type DeletedMessages, eventsComeWithin } from '../../../../src/port/index.ts';
import { openKeyv, type Records } from '../../../../src/store/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { FakeDiscord } from '../../../fakes/discord/index.ts';
import { patience } from '../../../patience.ts';
import { echo } from '../support/commands.ts';
import { invited } from '../support/invited.ts';
import { streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage } from '../support/stage.ts';

const commands = [echo, streamingAsk];
/** Processes that start one after the other while time stands still. */
const buckets = { gateway: { limit: 50, windowMilliseconds: 1_000 } };
const ignore = () => {};
const log = { info: ignore, warn: ignore, error: ignore };

const answers = ({ discord, channel }: Stage) =>
  discord
    .messagesIn(channel)
    .filter((message) => message.authorId === discord.world.bot.id)
    .map((message) => message.content);
const asks = ({ ada, channel, discord }: Stage, words: string) =>
  ada.writes(channel, `<@${discord.world.bot.id}> say ${words}`);
const answered = (stage: Stage, words: string) =>
  stage.discord.until(words, () => answers(stage).includes(words));
const onRecord = ({ database }: Stage) =>
  database.selectFrom('keyv').select('key').where('key', 'like', '%gateway session%').execute();
/** A session is on record a moment after the log-in. */
const kept = (stage: Stage) => expect.poll(() => onRecord(stage), patience).toHaveLength(1);

describe('what’s written while the bot is down', () => {
  it.each([
    { how: 'stopped', killed: false },
    { how: 'killed', killed: true },
  ])(
    'and was $how: it’s answered after the start, without another log-in, and nothing twice',
    async ({ killed }) => {
      const stage = await startStage({ commands });
      await kept(stage);
      asks(stage, 'before');
      await answered(stage, 'before');
      await stage.restart({ killed, meanwhile: () => void asks(stage, 'meanwhile') });
      await answered(stage, 'meanwhile');
      asks(stage, 'after');
      await answered(stage, 'after');
      expect(answers(stage)).toEqual(['before', 'meanwhile', 'after']);
      const { gateway, journal } = stage.discord;
      expect([gateway.identifyCount, gateway.resumeCount]).toEqual([1, 1]);
      expect(journal.violations).toEqual([]);
    },
  );

  it('in each server of a slice', async () => {
    const stage = await startStage({ commands, shards: { ids: [0, 1], count: 2 }, ...twoShards });
    await expect.poll(() => onRecord(stage), patience).toHaveLength(2);
    await stage.restart({ meanwhile: () => void asks(stage, 'meanwhile') });
    await answered(stage, 'meanwhile');
    const { gateway } = stage.discord;
    expect([gateway.identifyCount, gateway.resumeCount]).toEqual([2, 2]);
  });

  it('though the day’s log-ins are used up', async () => {
    const stage = await startStage({
      commands,
      before: ({ gateway }) => void Object.assign(gateway, { sessionsADay: 1 }),
    });
    await kept(stage);
    await stage.restart({ meanwhile: () => void asks(stage, 'meanwhile') });
    await answered(stage, 'meanwhile');
  });

  it('where the bot may not write: its author is told so, as ever', async () => {
    const stage = await startStage({ commands });
    await kept(stage);
    stage.forbid(PermissionFlagsBits.SendMessages);
    await stage.restart({ meanwhile: () => void asks(stage, 'meanwhile') });
    const { discord, ada } = stage;
    await discord.until('a direct message', () => discord.messagesIn(ada.direct()).length === 1);
    expect(answers(stage)).toEqual([]);
  });

  it('a command: it’s answered with a message within a minute, and later no more', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands, clock, rateClock: clock });
    await kept(stage);
    const types = (text: string) => stage.ada.types(stage.channel, { name: 'echo', options: { text } });
    await stage.restart({
      meanwhile: async () => {
        types('old');
        await clock.advance(55_000);
        types('new');
        await clock.advance(6_000);
      },
    });
    asks(stage, 'after');
    await answered(stage, 'after');
    await stage.discord.until('the answer', () => answers(stage).some((text) => text.includes('ada: new')));
    expect(answers(stage).join('\n')).not.toContain('old');
  });
});

describe('what an earlier process said is final', () => {
  const { noDatabase } = discordWords('en');
  const said = ({ discord, channel }: Stage) =>
    discord
      .messagesIn(channel, { ephemeral: true })
      .filter(({ authorId }) => authorId === discord.world.bot.id)
      .map(({ content }) => content);
  const isAway = (stage: Stage, away: boolean) =>
    void sql.raw(`pragma query_only = ${away ? 'on' : 'off'}`).execute(stage.database);
  const types = ({ ada, channel }: Stage, text: string) =>
    ada.types(channel, { name: 'echo', options: { text } });
  /** What comes after it has been answered, so that what came before it would have been, too. */
  const asksAfter = async (stage: Stage) => {
    types(stage, 'after');
    await stage.discord.until('after', () => said(stage).some((text) => text.includes('after')));
    const rows = await stage.database.selectFrom('jobs').select('options').execute();
    expect(rows.map(({ options }) => JSON.stringify(options))).toEqual([expect.stringContaining('after')]);
  };

  it.each([
    ['mentions', (stage: Stage, text: string) => asks(stage, text)],
    ['commands', types],
  ])('%s that were told “try again” aren’t carried out by the next one', async (_, sends) => {
    const stage = await startStage({ commands });
    await kept(stage);
    isAway(stage, true);
    for (const text of ['one', 'two']) sends(stage, text);
    await stage.discord.until('the sentences', () => said(stage).length === 2);
    await stage.restart({ meanwhile: () => isAway(stage, false) });
    await asksAfter(stage);
    expect(said(stage).slice(0, 2)).toEqual([noDatabase, noDatabase]);
  });
});

it('what’s missed is answered though what was said before can’t be looked up', async () => {
  const stage = await startStage({ commands });
  await kept(stage);
  await stage.restart({
    meanwhile: () => {
      asks(stage, 'meanwhile');
      stage.discord.faults.next('GET /channels/{channel_id}/messages', { kind: 'error', status: 403 });
    },
  });
  await answered(stage, 'meanwhile');
});

describe('what somebody says again because nobody answers', () => {
  const minute = 60_000;
  const twice = async (stage: Stage, say: () => unknown) => {
    await kept(stage);
    await stage.restart({
      meanwhile: () => {
        for (let time = 0; time < 3; time++) say();
        asks(stage, 'another');
      },
    });
    await answered(stage, 'another');
  };

  it('is answered once, at the last of its messages', async () => {
    const stage = await startStage({ commands });
    const written: string[] = [];
    await twice(stage, () => written.push(asks(stage, 'the same').id));
    await answered(stage, 'the same');
    const { discord, channel } = stage;
    const replies = discord.messagesIn(channel).filter(({ content }) => content === 'the same');
    expect(replies.map(({ replyTo }) => replyTo)).toEqual([written.at(-1)]);
  });

  it('is a command that’s carried out once', async () => {
    const stage = await startStage({ commands });
    await twice(stage, () => stage.ada.types(stage.channel, { name: 'echo', options: { text: 'the same' } }));
    await stage.discord.until('it', () => answers(stage).some((text) => text.includes('the same')));
    asks(stage, 'after');
    await answered(stage, 'after');
    expect(answers(stage).filter((text) => text.includes('the same'))).toHaveLength(1);
  });

  it('is another request after two minutes, from another person, and while the bot runs', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands, clock, rateClock: clock });
    await kept(stage);
    const { bob, channel, discord } = stage;
    discord.gateway.sessionLife = 10 * minute;
    await stage.restart({
      meanwhile: async () => {
        asks(stage, 'the same');
        await clock.advance(2 * minute + 1);
        asks(stage, 'the same');
        bob.writes(channel, `<@${discord.world.bot.id}> say the same`);
      },
    });
    const count = () => answers(stage).filter((text) => text === 'the same').length;
    await discord.until('three', () => count() === 3);
    asks(stage, 'the same');
    asks(stage, 'the same');
    await discord.until('five', () => count() === 5);
  });
});

it('what’s deleted comes again to the next process until it’s on record', async () => {
  const heard: string[][] = [];
  const stage = await startStage({
    commands,
    deleted: async ({ messages, place, isGone }) => {
      // A new session tells which servers are left.
      if (isGone) return;
      heard.push([...messages, ...(place?.thread === undefined ? [] : [place.thread])]);
      if (heard.length > 1) await new Promise(() => {});
    },
  });
  const { ada, channel, discord } = stage;
  const [one, two, three, four] = ['1', '2', '3', '4'].map((text) => ada.writes(channel, text).id);
  const thread = discord.threads.open(channel, four!, { name: 'x' });
  const messages = [one, two, three].map((id) => discord.world.message(id!));
  ada.deletes(messages[0]!);
  discord.messages.deleteTogether(messages.slice(1));
  discord.threads.delete(thread);
  const others = [[two, three], [four]];
  await expect.poll(() => heard, patience).toEqual([[one], ...others]);
  await stage.restart();
  await expect.poll(() => heard, patience).toEqual([[one], ...others, ...others]);
});

it('what’s deleted of several messages is recent if its event can still come', async () => {
  const heard: unknown[] = [];
  const clock = new FakeClock();
  const deleted = async ({ messages, recent, isGone }: DeletedMessages) =>
    void (isGone || heard.push({ messages, recent }));
  const { ada, channel, discord } = await startStage({ commands, clock, rateClock: clock, deleted });
  const old = ada.writes(channel, 'old').id;
  await clock.advance(eventsComeWithin);
  const fresh = ada.writes(channel, 'new').id;
  discord.messages.deleteTogether([old, fresh].map((id) => discord.world.message(id)));
  await expect.poll(() => heard, patience).toEqual([{ messages: [old, fresh], recent: [fresh] }]);
});

describe('a session that can’t be gone on with: the bot logs in anew', () => {
  it('Discord has ended it', async () => {
    const stage = await startStage({ commands });
    await kept(stage);
    await stage.restart({
      meanwhile: () => {
        stage.discord.gateway.resumable = false;
      },
    });
    asks(stage, 'after');
    await answered(stage, 'after');
    expect(stage.discord.gateway.identifyCount).toBe(2);
  });

  it.each([
    { what: 'the intents', changed: { messageContent: true } },
    { what: 'the servers where the bot works', changed: { allowedGuilds: () => ['1'] } },
    { what: 'the number of shards', changed: { shards: { ids: [0], count: 2 } } },
  ])('$what are others now', async ({ changed }) => {
    const stage = await startStage({ commands });
    await kept(stage);
    stage.discord.world.privilegedIntents = ~0;
    await stage.restart({ changed });
    const { gateway } = stage.discord;
    expect([gateway.identifyCount, gateway.resumeCount]).toEqual([2, 0]);
  });
});

describe('processes on one database', () => {
  /** The bot’s processes, each with all shards; what they heard, by the words of messages. */
  async function startBot({ shards = 1 } = {}) {
    const clock = new FakeClock();
    const discord = await FakeDiscord.start({ clock, rateClock: clock, buckets });
    const owner = discord.world.addUser('owner');
    const guild = discord.world.addGuild({ name: 'x', owner, permissions: invited });
    const channel = discord.world.addChannel(guild, 'general');
    Object.assign(discord.gateway, { shards, maxConcurrency: shards, identifyWindow: 0 });
    const database = await openMigrated('sqlite::memory:');
    onTestFinished(async () => {
      await discord.close();
      await database.destroy();
    });
    const records = openKeyv(database, 'discord', () => clock.now());
    const next = processesSharing(clock);
    const bot = `<@${discord.world.bot.id}>`;
    const writes = (text: string) => discord.person(owner).writes(channel, `${bot} ${text}`);
    /** Processes that are cut off from the database. */
    const cutOff = new Set<string>();
    /** `keeps`: what comes of this isn’t on record yet; if it comes again it’s known. */
    const start = async (keeps = '') => {
      const coordination = next();
      const reached = <T>(work: () => Promise<T>) =>
        cutOff.has(coordination.process) ? Promise.reject(new Error('cut off')) : work();
      const own = {
        get: <T>(key: string) => reached(() => records.get<T>(key)),
        change: (...what: Parameters<typeof records.change>) => reached(() => records.change(...what)),
      };
      const heard: string[] = [];
      const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, clock });
      const identity = {
        id: discord.world.bot.id,
        name: 'troupe',
        applicationId: discord.world.applicationId,
      };
      const common = { clock, log };
      const gateway = new Gateway({
        ...{
          token: discord.token,
          api,
          shards: 'auto',
          settings: [],
          onTakenUp() {},
          coordination: alone(),
          ...common,
        },
        sessions: new KeptSessions({
          ...common,
          coordination,
          records: own as Pick<Records, 'get' | 'change'>,
          identity: () => identity,
        }),
        onDispatch({ t, d }, isLeft) {
          discord.world.changed();
          if (t !== GatewayDispatchEvents.MessageCreate) return undefined;
          const text = d.content.replace(`${bot} `, '');
          const isKnown = heard.includes(text);
          heard.push(isLeft ? `left: ${text}` : text);
          return text === keeps && !isKnown ? new Promise(() => {}) : Promise.resolve();
        },
      });
      onTestFinished(async () => {
        await gateway.close();
        api.close();
      });
      gateway.open();
      await discord.until('the connection', () => gateway.notReady() === undefined);
      const hears = (text: string) => discord.until(text, () => heard.includes(text));
      return { gateway, coordination, heard, hears };
    };
    const count = () => [discord.gateway.identifyCount, discord.gateway.resumeCount];
    const sessions = () => [...discord.gateway.sessions.keys()];
    const onRecord = async () =>
      (await records.startingWith<KeptSession>('gateway session')).map(({ session }) => session.sessionId);
    return { ...{ clock, discord, writes, start, count, cutOff }, ...{ records, sessions, onRecord } };
  }

  it('what isn’t on record yet when one stops comes again to the next', async () => {
    const { writes, start } = await startBot();
    const first = await start('second');
    for (const text of ['first', 'second', 'third']) writes(text);
    await first.hears('third');
    await first.gateway.close();
    writes('fourth');
    const second = await start();
    writes('fifth');
    await second.hears('fifth');
    expect(second.heard).toEqual(['left: second', 'left: third', 'left: fourth', 'fifth']);
  });

  it('what came twice isn’t on record yet because the second time is over', async () => {
    const { discord, writes, start } = await startBot();
    const first = await start('first');
    for (const text of ['first', 'second']) writes(text);
    await first.hears('second');
    discord.gateway.repeatOnResume = 2;
    discord.gateway.drop();
    await discord.until('both again', () => first.heard.length === 4);
    discord.gateway.repeatOnResume = 0;
    await first.gateway.close();
    const second = await start();
    writes('third');
    await second.hears('third');
    expect(second.heard).toEqual(['left: first', 'left: second', 'third']);
  });

  it('a message at which each process dies comes to three of them: the next one logs in anew', async () => {
    const { clock, writes, start, count, records } = await startBot();
    const key = 'gateway session 0/1';
    const heard: string[][] = [];
    for (let death = 0; death < 4; death++) {
      const process = await start('poison');
      if (death === 0) writes('poison');
      if (death < 3) await process.hears(death === 0 ? 'poison' : 'left: poison');
      heard.push(process.heard);
      // It's on record up to the event before, which is its server's.
      if (death === 0) await clock.advance(1_000);
      const sequence = async () => (await records.get<KeptSession>(key))?.session.sequence;
      if (death < 3) await expect.poll(sequence, patience).toBe(2);
      const row = await records.get(key);
      await process.coordination.others.ended();
      await process.gateway.close();
      // A process that dies doesn't let its session go.
      await records.change(key, 60_000, () => row);
    }
    expect(heard).toEqual([['poison'], ['left: poison'], ['left: poison'], []]);
    expect(count()).toEqual([2, 2]);
  });

  it('one that starts beside another leaves it its session, and is followed itself', async () => {
    const { writes, start, count } = await startBot();
    const first = await start();
    const second = await start();
    expect(count()).toEqual([2, 0]);
    await first.gateway.close();
    writes('alone');
    await second.hears('alone');
    await second.gateway.close();
    writes('meanwhile');
    const third = await start();
    await third.hears('left: meanwhile');
    expect(count()).toEqual([2, 1]);
  });

  it('each session is on record at once: the process may die at any time', async () => {
    const { start, sessions, onRecord } = await startBot({ shards: 2 });
    await start();
    await expect.poll(async () => (await onRecord()).toSorted(), patience).toEqual(sessions().toSorted());
  });

  it('if the one whose session is on record dies, the next one’s takes its place', async () => {
    const { start, sessions, onRecord } = await startBot();
    const first = await start();
    await expect.poll(onRecord, patience).toEqual(sessions());
    const second = await start();
    await first.coordination.others.ended();
    await second.gateway.close();
    expect(await onRecord()).toEqual(sessions().slice(1));
  });

  it('the session of one that died is gone on with', async () => {
    const { writes, start, count, records } = await startBot();
    const first = await start();
    await expect.poll(() => records.has('gateway session 0/1'), patience).toBe(true);
    await first.coordination.others.ended();
    const second = await start();
    writes('after');
    await second.hears('after');
    expect(count()).toEqual([1, 1]);
  });

  it('one that’s taken for gone and lives leaves its session to the other, and logs in anew', async () => {
    const { clock, discord, writes, start, records } = await startBot();
    const first = await start();
    await expect.poll(() => records.has('gateway session 0/1'), patience).toBe(true);
    await first.coordination.others.ended();
    const second = await start();
    const isApart = async () => {
      await clock.advance(1_000);
      return discord.gateway.identifyCount === 2 && first.gateway.notReady() === undefined;
    };
    await expect.poll(isApart, patience).toBe(true);
    await discord.until('the second', () => second.gateway.notReady() === undefined);
    const { resumeCount } = discord.gateway;
    writes('to both');
    await Promise.all([first.hears('to both'), second.hears('to both')]);
    expect([discord.gateway.identifyCount, discord.gateway.resumeCount]).toEqual([2, resumeCount]);
  });

  it('one that’s cut off from the database leaves its session to the one that took it, and hears people still', async () => {
    const { clock, discord, writes, start, count, cutOff, records } = await startBot();
    const first = await start();
    await expect.poll(() => records.has('gateway session 0/1'), patience).toBe(true);
    cutOff.add(first.coordination.process);
    await first.coordination.others.ended();
    const second = await start();
    const areApart = async () => {
      await clock.advance(1_000);
      return discord.gateway.identifyCount === 2 && first.gateway.notReady() === undefined;
    };
    await expect.poll(areApart, patience).toBe(true);
    expect(second.gateway.notReady()).toBeUndefined();
    // Neither takes the other’s again, however long the first stays cut off.
    await clock.advance(30_000);
    expect(count()).toEqual([2, 1]);
    writes('to both');
    await Promise.all([first.hears('to both'), second.hears('to both')]);
  });

  it('while the database is away for all, a connection that’s lost comes back', async () => {
    const { clock, discord, writes, start, cutOff, records } = await startBot();
    const only = await start();
    await expect.poll(() => records.has('gateway session 0/1'), patience).toBe(true);
    cutOff.add(only.coordination.process);
    discord.gateway.drop();
    await expect.poll(() => only.gateway.notReady(), patience).toBeDefined();
    const isBack = async () => {
      await clock.advance(1_000);
      return only.gateway.notReady() === undefined;
    };
    await expect.poll(isBack, patience).toBe(true);
    writes('after');
    await only.hears('after');
  });
});

const twoShards = {
  before: ({ gateway }: Stage['discord']) => void Object.assign(gateway, { shards: 2, maxConcurrency: 2 }),
};
