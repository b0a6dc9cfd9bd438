import { setImmediate } from 'node:timers/promises';
import { ActivityType } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import { isFields } from '../../../fakes/discord/http/fields.ts';
import { answered, answers, asks, streamingAsk } from '../support/live-command.ts';
import { startStage } from '../support/stage.ts';

const commands = [streamingAsk];

/** What people see below the bot's name: “Listening to /help”. */
const help = {
  activities: [{ type: ActivityType.Listening, name: '/help' }],
  status: 'online',
  since: null,
  afk: false,
};

/** A body of Discord's, without fields that it always has. */
function without(body: unknown, left: readonly string[]): unknown {
  if (!isFields(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => !left.includes(field)));
}

describe('faults of the gateway', () => {
  it('a lost socket: resumes, gets missed events, and handles repeated ones once', async () => {
    const stage = await startStage({ commands });
    asks(stage, 'before');
    await answered(stage, 'before');
    stage.discord.gateway.repeatOnResume = 5;
    stage.discord.gateway.drop();
    asks(stage, 'meanwhile');
    await answered(stage, 'meanwhile');
    asks(stage, 'after');
    await answered(stage, 'after');
    expect(answers(stage)).toEqual(['before', 'meanwhile', 'after']);
    expect(stage.discord.gateway.resumeCount).toBe(1);
  });

  it('an event that the library can’t read: is skipped and logged, the next is answered', async () => {
    const stage = await startStage({ commands });
    const { gateway } = stage.discord;
    gateway.spoil = (name, data) => (name === 'INTERACTION_CREATE' ? { ...data, member: { nick: 1 } } : data);
    const spoilt = stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'say spoilt' } });
    gateway.spoil = (_, data) => data;
    asks(stage, 'after');
    await answered(stage, 'after');
    expect(spoilt.acknowledgement).toBeUndefined();
    expect(stage.logged.join('')).toContain('an event (INTERACTION_CREATE) cannot be read');
    expect(stage.discord.gateway.identifyCount).toBe(1);
  });

  it('a reply to a message without an id: isn’t looked up, the next is answered', async () => {
    const stage = await startStage({ commands });
    const { gateway } = stage.discord;
    asks(stage, 'before');
    await answered(stage, 'before');
    const replyTo = stage.ofBot()[0]!;
    gateway.spoil = (name, data) =>
      name === 'MESSAGE_CREATE' ? { ...data, message_reference: { type: 0, message_id: '' } } : data;
    stage.ada.writes(stage.channel, 'and then?', { replyTo });
    gateway.spoil = (_, data) => data;
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  it('op 7: reconnects and resumes', async () => {
    const stage = await startStage({ commands });
    stage.discord.gateway.sendAll(7, null);
    await stage.discord.until('the resumption', () => stage.discord.gateway.resumeCount === 1);
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  it('op 9: identifies again', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    stage.discord.gateway.sendAll(9, false);
    await stage.discord.until('a new session', () => stage.discord.gateway.identifyCount === 2);
    await stage.discord.until('ready', () => stage.platform.notReady() === undefined);
    const presences = [...stage.discord.gateway.sessions.values()].map(({ presence }) => presence);
    expect(presences).toEqual([help]);
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  it('a session that is gone when it’s resumed: identifies again', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    stage.discord.gateway.resumable = false;
    stage.discord.gateway.drop();
    await stage.discord.until('a new session', () => stage.discord.gateway.identifyCount === 2);
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  // Fact: The gateway library throws at op 9 right after RESUMED (measured)
  it('op 9 right after RESUMED: survives and reconnects', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    stage.discord.gateway.invalidateAfterResume = true;
    stage.discord.gateway.drop();
    await stage.discord.until('a new session', () => stage.discord.gateway.identifyCount >= 2);
    await stage.discord.until('ready', () => stage.platform.notReady() === undefined);
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  it('a refused token: says why it isn’t ready, and recovers when the token is accepted', async () => {
    const stage = await startStage({
      commands,
      connected: false,
      before: (discord) => {
        discord.http.tokenRevoked = true;
      },
    });
    await stage.discord.until('a reason', () => /token/i.test(stage.platform.notReady() ?? ''));
    stage.discord.http.tokenRevoked = false;
    await stage.discord.until('the connection', () => stage.platform.notReady() === undefined);
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  it('a token that the gateway refuses: says so for as long as it does, between the tries, too', async () => {
    const stage = await startStage({ commands, jumping: new FakeClock() });
    const { discord, platform } = stage;
    const { gateway } = discord;
    gateway.refusesToken = true;
    gateway.closeAll(4004);
    const refusals = () => gateway.closeCodes.filter((code) => code === 4004).length;
    const reasons = new Set<string | undefined>();
    await discord.until('three tries', () => {
      if (refusals() > 0) reasons.add(platform.notReady());
      return refusals() === 3;
    });
    expect([...reasons]).toEqual(['Discord does not accept DISCORD_TOKEN']);
    gateway.refusesToken = false;
    await discord.until('the connection', () => platform.notReady() === undefined);
    gateway.sendAll(9, false);
    await discord.until('another reason', () => platform.notReady()?.startsWith('shard 0 of 1'));
    await discord.until('the connection', () => platform.notReady() === undefined);
  });

  it.each([
    ['how many sessions are left', ['session_start_limit']],
    ['that, nor how many shards to run', ['session_start_limit', 'shards']],
  ])('an address without %s: connects there, and again', async (_, left) => {
    const stage = await startStage({
      commands,
      jumping: new FakeClock(),
      before: ({ http }) => {
        http.spoil = (body) => without(body, left);
      },
    });
    stage.discord.gateway.sendAll(9, false);
    await stage.discord.until('a new session', () => stage.discord.gateway.identifyCount === 2);
    stage.discord.gateway.sendAll(9, false);
    await stage.discord.until('another', () => stage.discord.gateway.identifyCount === 3);
    asks(stage, 'after');
    await answered(stage, 'after');
  });

  it('stops, and handles nothing more', async () => {
    const stage = await startStage({ commands });
    await stage.platform.stopReceiving();
    expect(stage.platform.notReady()).toBeDefined();
    asks(stage, 'unheard');
    await stage.platform.adapter.post(stage.place, { text: 'still posting' }, 'k');
    expect(answers(stage)).toEqual(['still posting']);
  });
});

describe('stopping', () => {
  it('doesn’t wait for a shard that has identified and isn’t ready yet', async () => {
    const stage = await startStage({
      commands,
      botClock: new FakeClock(Date.now()),
      connected: false,
      before: ({ gateway }) => {
        gateway.sendsReady = false;
      },
    });
    await stage.discord.until('the log-in', () => stage.discord.gateway.identifyCount === 1);
    await stage.platform.stopReceiving();
    expect(stage.platform.notReady()).toBeDefined();
  });

  it('doesn’t wait for shards that wait for their turn to log in', async () => {
    const stage = await startStage({
      commands,
      botClock: new FakeClock(Date.now()),
      connected: false,
      before: ({ gateway }) => {
        gateway.shards = 4;
      },
    });
    await stage.discord.until('the first', () => stage.discord.gateway.identifyCount === 1);
    await stage.platform.stopReceiving();
    expect(stage.discord.gateway.identifyCount).toBe(1);
  });

  it('doesn’t wait for long for a gateway that answers nothing', async () => {
    const botClock = new FakeClock(Date.now());
    const stage = await startStage({ commands, botClock });
    stage.discord.gateway.freeze();
    let isStopped = false;
    void stage.platform.stopReceiving().then(() => {
      isStopped = true;
    });
    await botClock.advance(4_999);
    expect(isStopped).toBe(false);
    await botClock.advance(1);
    await setImmediate();
    expect(isStopped).toBe(true);
  });
});

describe('what people see below the bot’s name', () => {
  it('is “Listening to /help” on every shard, sent with the log-in and kept when a session is resumed', async () => {
    const stage = await startStage({
      commands,
      before: ({ gateway }) => {
        gateway.shards = 2;
        gateway.maxConcurrency = 2;
      },
    });
    const { gateway } = stage.discord;
    const shown = () => [...gateway.sessions.values()].map(({ presence }) => presence);
    expect(shown()).toEqual([help, help]);
    gateway.drop();
    await stage.discord.until('the resumption', () => gateway.resumeCount === 2);
    expect(shown()).toEqual([help, help]);
    expect(gateway.closeCodes).toEqual([]);
  });
});

describe('shards', () => {
  it('run as many as Discord recommends, each with its own servers', async () => {
    const stage = await startStage({
      commands,
      before: (discord) => {
        discord.gateway.shards = 2;
        discord.gateway.maxConcurrency = 2;
        const [owner] = discord.world.users.values();
        for (let age = 1; age < 5; age++)
          discord.world.addGuild({ name: `${age}`, owner: owner!, permissions: 0n, ageMilliseconds: age });
      },
    });
    const shards = [...stage.discord.gateway.sessions.values()].map((session) => session.shard);
    expect(shards).toEqual([
      [0, 2],
      [1, 2],
    ]);
    asks(stage, 'hello');
    await answered(stage, 'hello');
  });

  it('run the slice that is configured', async () => {
    const stage = await startStage({
      commands,
      shards: { ids: [1, 2], count: 4 },
      jumping: new FakeClock(),
    });
    const shards = [...stage.discord.gateway.sessions.values()].map((session) => session.shard);
    expect(shards).toEqual([
      [1, 4],
      [2, 4],
    ]);
  });
});
