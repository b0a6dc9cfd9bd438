import { PermissionFlagsBits } from 'discord-api-types/v10';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { discordWords } from '../../../../src/platforms/discord/words.ts';
import { actionId, type DeletedMessages, eventsComeWithin } from '../../../../src/port/index.ts';
import { scaledClock } from '../../../chaos/scaled-clock.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import type { Interaction } from '../../../fakes/discord/index.ts';
import { patience } from '../../../patience.ts';
import { echo, hushed } from '../support/commands.ts';
import { answered, answers, asks, streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage } from '../support/stage.ts';

/** Says its words, with a button that says others: what comes along with those never comes the first time. */
function sayer(looks: { count: number }) {
  const description = { en: 'x', 'zh-CN': '甲' };
  const text = { type: 'text', required: true, description } as const;
  return defineCommand<{ text: typeof text }>({
    ...{ name: 'say', description, help: description, options: { text }, seenBy: 'channel' },
    async run({ job, options, reply }) {
      await reply.say({
        text: options.text,
        buttons: [{ id: actionId('say', 'more', job.id), label: 'More' }],
      });
    },
    actions: {
      more: {
        who: 'anyone',
        call: () => ({ command: 'say', options: { text: 'more' } }),
        addedOptions: () => (++looks.count === 1 ? new Promise(() => {}) : Promise.resolve({})),
      },
    },
  });
}

const commands = [echo, streamingAsk];

const onRecord = ({ database }: Stage, where = '%sessionId%') =>
  database
    .selectFrom('keyv')
    .select('key')
    .where('key', 'like', '%gateway session%')
    .where('value', 'like', where)
    .execute();
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
      const { gateway } = stage.discord;
      expect([gateway.identifyCount, gateway.resumeCount]).toEqual([1, 1]);
    },
  );

  it('though it was stopped again before Discord went on with its session', async () => {
    const stage = await startStage({ commands, botClock: scaledClock(5) });
    const { gateway } = stage.discord;
    await kept(stage);
    await stage.restart({
      meanwhile: () => {
        asks(stage, 'meanwhile');
        gateway.reconnectsAtOnce = Number.POSITIVE_INFINITY;
      },
      changed: { connected: false },
    });
    await expect.poll(() => onRecord(stage, '%"holder"%'), patience).toHaveLength(1);
    await stage.restart({
      meanwhile: () => {
        gateway.reconnectsAtOnce = 0;
      },
      changed: { connected: true },
    });
    asks(stage, 'after');
    await answered(stage, 'after');
    expect(answers(stage)).toEqual(['meanwhile', 'after']);
    expect(gateway.identifyCount).toBe(1);
  });

  it('though Discord refuses the bot the content of messages each time', async () => {
    const stage = await startStage({ commands, messageContent: true, botClock: scaledClock(5) });
    await kept(stage);
    await stage.restart({ meanwhile: () => void asks(stage, 'meanwhile') });
    asks(stage, 'after');
    await answered(stage, 'after');
    expect(answers(stage)).toEqual(['meanwhile', 'after']);
    expect(stage.discord.gateway.closeCodes).toEqual([4014, 4014]);
  });

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
  const said = (stage: Stage) =>
    stage.ofBot(stage.channel, { ephemeral: true }).map(({ content }) => content);
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

  // Fact: Without a response, an interaction has no `@original` (10015); a button’s message may not count as one
  // (receiving and responding; of buttons not documented)
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

describe('an interaction at which a process dies', () => {
  /** One look at who somebody is never ends: a process gets no further with the interaction then. */
  async function dying(
    endless: number,
    refusal?: () => string | undefined,
  ): Promise<{ stage: Stage; looks: () => number }> {
    let looks = 0;
    const stage = await startStage({
      ...{ commands, refusal },
      // Discord waits as long as it takes here.
      clock: new FakeClock(Date.now() + 10_000),
      botClock: systemClock,
      allowedGuilds: () => ['1'],
      operators: () => (++looks === endless ? new Promise(() => {}) : Promise.resolve(true)),
    });
    await kept(stage);
    return { stage, looks: () => looks };
  }
  const types = ({ ada }: Stage, text: string) =>
    ada.types(ada.direct(), { name: 'echo', options: { text } });
  const shown = ({ discord, ada }: Stage) => discord.messagesIn(ada.direct(), { ephemeral: true });
  const said = (stage: Stage) => shown(stage).flatMap(({ content }) => content || []);
  const shows = (stage: Stage, text: string) =>
    stage.discord.until(text, () => shown(stage).find(({ content }) => content === text));

  it('before it’s on record is carried out by the next one, once', async () => {
    const { stage, looks } = await dying(1);
    types(stage, 'one');
    await stage.discord.until('the look', () => looks() === 1);
    await stage.restart();
    await shows(stage, 'ada: one');
    types(stage, 'two');
    await shows(stage, 'ada: two');
    expect(said(stage)).toEqual(['ada: one', 'ada: two']);
  });

  it.each(['Tell me', 'Hush', 'Change'])(
    'a press of “%s”, before it’s acknowledged, is handled by the next one',
    async (label) => {
      const { stage, looks } = await dying(2);
      const { discord } = stage;
      const before = hushed.length;
      types(stage, 'hello');
      const sent = stage.ada.presses(await shows(stage, 'ada: hello'), label);
      await discord.until('the look', () => looks() === 2);
      await stage.restart();
      await discord.until('the effect', () => {
        if (label === 'Change') return sent.modal !== undefined;
        if (label === 'Hush') return hushed.length > before;
        return shown(stage).length === 3;
      });
    },
  );

  it.each(['while what it takes is looked for', 'on record, before it’s acknowledged'])(
    'a press that gives a command, %s: the next one acknowledges it, and it’s carried out or told',
    async (when) => {
      const isEarly = when.startsWith('while');
      const looks = { count: isEarly ? 0 : 1 };
      const stage = await startStage({
        commands: [sayer(looks)],
        clock: new FakeClock(Date.now() + 10_000),
        botClock: systemClock,
      });
      const { discord, ada, database } = stage;
      await kept(stage);
      ada.types(ada.direct(), { name: 'say', options: { text: 'one' } });
      const message = await shows(stage, 'one');
      const acknowledge = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
      if (!isEarly) discord.faults.next(acknowledge, { kind: 'hold', until: new Promise(() => {}) });
      let sent: Interaction | undefined;
      await stage.restart({
        killed: !isEarly,
        beforeDeath: async () => {
          sent = ada.presses(message, 'More');
          await discord.until('the press', () =>
            isEarly ? looks.count === 1 : discord.faults.left(acknowledge) === 0,
          );
        },
      });
      await discord.until('the acknowledgement', () => sent?.acknowledgement !== undefined);
      const more = '> **ada** · /say\nmore';
      if (isEarly) await shows(stage, more);
      ada.types(ada.direct(), { name: 'say', options: { text: 'two' } });
      await shows(stage, 'two');
      // What's on record is told of by those who look after it.
      expect(said(stage)).toEqual(isEarly ? ['one', more, 'two'] : ['one', 'two']);
      const rows = await database.selectFrom('jobs').select('state').orderBy('created_at').execute();
      expect(rows.map(({ state }) => state).at(1)).toBe(isEarly ? 'done' : 'running');
    },
  );

  it('a press whose effect people saw isn’t repeated', async () => {
    const { stage } = await dying(0);
    const before = hushed.length;
    types(stage, 'hello');
    const message = await shows(stage, 'ada: hello');
    await stage.restart({
      killed: true,
      beforeDeath: async () => {
        stage.ada.presses(message, 'Hush');
        await stage.discord.until('the effect', () => hushed.length > before);
      },
    });
    types(stage, 'the end');
    await shows(stage, 'ada: the end');
    expect(hushed.length).toBe(before + 1);
  });

  it.each([
    ['its answer goes there', undefined],
    ['doesn’t say that it may not be, though what it cost is why', 'The budget is used up.'],
  ])('on record, before it’s acknowledged: the next one does that, and %s', async (_, refused) => {
    let refusal: string | undefined;
    const { stage } = await dying(0, () => refusal);
    const { discord, database } = stage;
    const acknowledge = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
    discord.faults.next(acknowledge, { kind: 'hold', until: new Promise(() => {}) });
    let sent: Interaction | undefined;
    await stage.restart({
      killed: true,
      beforeDeath: async () => {
        sent = types(stage, 'hello');
        await discord.until('the request', () => discord.faults.left(acknowledge) === 0);
        refusal = refused;
      },
    });
    await discord.until('the acknowledgement', () => sent?.acknowledgement !== undefined);
    expect(await database.selectFrom('jobs').select('state').execute()).toEqual([{ state: 'running' }]);
    expect(said(stage)).toEqual([]);
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
        bob.mentions(channel, 'say the same');
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

const twoShards = {
  before: ({ gateway }: Stage['discord']) => void Object.assign(gateway, { shards: 2, maxConcurrency: 2 }),
};
