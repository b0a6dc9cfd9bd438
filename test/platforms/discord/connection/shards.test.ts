import { describe, expect, it, onTestFinished } from 'vitest';
import { DiscordApi } from '../../../../src/platforms/discord/api/api.ts';
import { requestShare } from '../../../../src/platforms/discord/connection/gateway.ts';
import type { Address, DeletedMessages } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { type Channel, FakeDiscord, type Guild } from '../../../fakes/discord/index.ts';
import { shardOf } from '../../../fakes/discord/snowflakes.ts';
import { echo, echoed } from '../support/commands.ts';
import { invited } from '../support/invited.ts';
import { streamingAsk } from '../support/live-command.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const commands = [echo, streamingAsk];
/** Discord takes one identify of a rate limit key in so many milliseconds. */
const identifyWindow = 5000;

interface Sharded {
  readonly stage: Stage;
  readonly clock: FakeClock;
  /** Lets the next shards identify, until so many have. */
  identified(count: number): Promise<void>;
}

/** A bot of many shards that begins to connect; time stands still. */
async function startShards(
  count: number,
  { before, ...options }: Partial<StageOptions> = {},
): Promise<Sharded> {
  const clock = new FakeClock();
  const stage = await startStage({
    commands,
    clock,
    rateClock: clock,
    connected: false,
    ...options,
    before: (discord) => {
      discord.gateway.shards = count;
      discord.gateway.identifyWindow = identifyWindow;
      before?.(discord);
    },
  });
  const identified = async (wanted: number) => {
    for (;;) {
      const now = stage.discord.gateway.identifyCount;
      if (now >= wanted) return;
      await clock.advance(100);
      await stage.discord.until('time to pass', () => true);
    }
  };
  return { stage, clock, identified };
}

/** A channel of a server whose events come on `shard`; `available` false: of one in an outage. */
function channelOn(discord: FakeDiscord, shard: number, count: number, available = true): Channel {
  const [owner] = discord.world.users.values();
  for (let age = 0; ; age++) {
    const guild = discord.world.addGuild({
      name: `${shard}`,
      owner: owner!,
      permissions: invited,
      ageMilliseconds: age,
    });
    if (shardOf(guild.id, count) !== shard) {
      discord.world.guilds.delete(guild.id);
      continue;
    }
    guild.available = available;
    for (const user of discord.world.users.values())
      if (!guild.members.has(user.id)) discord.world.addMember(guild, user);
    return discord.world.addChannel(guild, `on-${shard}`);
  }
}

const said = (stage: Stage, channel: Channel) => stage.ofBot(channel).map(({ content }) => content);

describe('shards that come up one after the other', () => {
  it.each([4, 16])('%i of them: the first answers while the others wait for their turn', async (count) => {
    const { stage, clock, identified } = await startShards(count, {
      before: (discord) => void channelOn(discord, 0, count, false),
    });
    const { discord, ada, platform } = stage;
    const channel = channelOn(discord, 0, count);
    const begun = clock.now();
    await discord.until('the commands', () => discord.commands.list('global').length === commands.length);
    const typed = ada.types(channel, { name: 'echo', options: { text: 'early' } });
    await discord.until('the answer', () => said(stage, channel).includes('ada: early'));
    expect((typed.acknowledgedAt ?? 0) - typed.createdAt).toBeLessThan(3000);
    ada.writes(ada.direct(), 'say hello');
    await discord.until('the answer to a direct message', () => said(stage, ada.direct()).includes('hello'));
    expect(clock.now()).toBe(begun);
    expect(discord.gateway.identifyCount).toBe(1);
    expect(platform.notReady()).toMatch(/shard/);
    await identified(count);
    await discord.until('all shards', () => platform.notReady() === undefined);
    expect(clock.now() - begun).toBeLessThan(identifyWindow * 1.1 * count);
    expect(discord.gateway.identifiesTooSoon).toBe(0);
    expect([...discord.gateway.sessions.values()].map(({ shard }) => shard)).toEqual(
      Array.from({ length: count }, (_, shard) => [shard, count]),
    );
    const last = channelOn(discord, count - 1, count);
    await echoed(stage, 'late', last);
    expect(discord.journal.to('GET /gateway/bot')).toHaveLength(1);
  });

  it('answer before Discord has sent the data of their servers', async () => {
    const { stage } = await startShards(1, {
      before: (discord) => {
        discord.gateway.sendsGuilds = false;
      },
    });
    const { discord, ada, channel } = stage;
    await discord.until('the commands', () => discord.commands.list('global').length === commands.length);
    await echoed(stage, 'early');
    discord.events.guildCreated(stage.guild);
    ada.mentions(channel, 'say later');
    await discord.until('the answer to a mention', () => said(stage, channel).includes('later'));
  });

  it('a server in an outage: its commands are answered, and its messages after the outage', async () => {
    const { stage } = await startShards(1);
    const { discord, ada, channel } = stage;
    await discord.until('the commands', () => discord.commands.list('global').length === commands.length);
    discord.events.guildUnavailable(stage.guild);
    await echoed(stage, 'dark');
    discord.events.guildCreated(stage.guild);
    ada.mentions(channel, 'say light');
    await discord.until('the answer to a mention', () => said(stage, channel).includes('light'));
  });

  it('a server that a new session doesn’t list was left meanwhile: not one in an outage, nor one of another shard', async () => {
    const left: unknown[] = [];
    const deleted = async ({ place }: DeletedMessages) => void (place && left.push(place));
    const guilds: Guild[] = [];
    const { stage, identified } = await startShards(2, {
      deleted,
      before: (discord) => {
        for (const shard of [0, 0, 1, 1])
          guilds.push(discord.world.guild(channelOn(discord, shard, 2).guildId!));
      },
    });
    const { discord, platform } = stage;
    await identified(2);
    await discord.until('all shards', () => platform.notReady() === undefined);
    const [removed, dark] = guilds;
    removed!.hasBot = false;
    dark!.available = false;
    discord.gateway.resumable = false;
    discord.gateway.drop();
    await identified(4);
    await discord.until('all shards again', () => platform.notReady() === undefined);
    await discord.until('what was left', () => left.length > 0);
    expect(left).toEqual([{ workspace: removed!.id }]);
  });

  it('a server that the first session doesn’t list was left while no process ran: not where only a token could post', async () => {
    const gone: ((address: Address) => boolean)[] = [];
    const deleted = async ({ isGone }: DeletedMessages) => void (isGone && gone.push(isGone));
    const guilds: string[] = [];
    const { stage, identified } = await startShards(2, {
      deleted,
      before: (discord) => {
        for (const [shard, isThere] of [
          [0, true],
          [0, false],
          [0, true],
          [1, false],
        ] as const) {
          const guild = discord.world.guild(channelOn(discord, shard, 2).guildId!);
          guild.hasBot = isThere;
          guilds.push(guild.id);
        }
        discord.world.guild(guilds[2]!).available = false;
      },
    });
    await identified(2);
    await stage.discord.until(
      'all shards',
      () => stage.platform.notReady() === undefined && gone.length === 2,
    );
    const at = (workspace: string, more = {}) =>
      ({ platform: 'discord', workspace, channel: 'c', ...more }) as const;
    const goneBy = gone.map((isGone) => guilds.filter((id) => isGone(at(id))));
    expect(goneBy.toSorted()).toEqual([[guilds[1]], [guilds[3]]].toSorted());
    const ofToken = at(guilds[1]!, { platformData: { token: 'x', until: '1', id: '1', user: '1' } });
    const direct = at(guilds[1]!, { channel: guilds[1]! });
    expect(gone.flatMap((isGone) => [ofToken, direct].map(isGone))).toEqual([false, false, false, false]);
  });

  it('op 9 right after RESUMED on one of four: all survive and reconnect', async () => {
    const count = 4;
    const { stage, identified } = await startShards(count);
    const { discord, platform } = stage;
    await identified(count);
    await discord.until('all shards', () => platform.notReady() === undefined);
    discord.gateway.invalidateAfterResume = true;
    discord.gateway.drop();
    await discord.until('the resumptions', () => discord.gateway.resumeCount === count);
    await identified(count + 1);
    await discord.until('all shards again', () => platform.notReady() === undefined);
    const channel = channelOn(discord, 3, count);
    await echoed(stage, 'after', channel);
  });

  it('no log-in is left for today: waits, says until when, and doesn’t try meanwhile', async () => {
    const { stage, clock, identified } = await startShards(4, {
      before: (discord) => {
        discord.gateway.sessionsADay = 2;
      },
    });
    const { discord, platform } = stage;
    await identified(2);
    await discord.until('two shards', () => discord.gateway.sessions.size === 2);
    await clock.advance(identifyWindow * 4);
    expect(platform.notReady()).toContain('no more log-ins');
    expect(discord.gateway.closeCodes).toEqual([]);
    discord.gateway.sessionsADay = 1000;
    await clock.advance(14_400_000);
    await identified(4);
    await discord.until('all shards', () => platform.notReady() === undefined);
  });

  it('no log-in is left after Discord has refused one for what it asked: says until when', async () => {
    const { stage, clock, identified } = await startShards(1, {
      before: (discord) => {
        discord.gateway.sessionsADay = 1;
      },
    });
    const { discord, platform } = stage;
    await identified(1);
    await discord.until('the shard', () => platform.notReady() === undefined);
    discord.gateway.closeAll(4014);
    while (discord.journal.to('GET /gateway/bot').length < 2) {
      await clock.advance(100);
      await discord.until('time to pass', () => true);
    }
    await clock.advance(identifyWindow);
    expect(platform.notReady()).toContain('no more log-ins');
  });
});

describe('a slice of the shards', () => {
  async function startSlice(share: number) {
    const discord = await FakeDiscord.start();
    const owner = discord.world.addUser('owner');
    const guild = discord.world.addGuild({ name: 'x', owner, permissions: invited });
    const channels = Array.from({ length: 14 }, (_, index) => discord.world.addChannel(guild, `${index}`));
    const clock = new FakeClock();
    const api = new DiscordApi({ token: discord.token, apiUrl: discord.apiUrl, share, clock });
    onTestFinished(async () => {
      api.close();
      await discord.close();
    });
    const asked = (path: RegExp) => discord.journal.requests.filter((request) => path.test(request.path));
    /** Asks by an interaction's token, which nothing holds up. */
    const byTokens = (count: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, index) => api.messageByToken('1', `token-${index}`, '@original')),
      );
    return { api, clock, channels, asked, byTokens };
  }

  it('uses its part of the requests a second, and leaves the rest to other processes', async () => {
    const { api, clock, channels, asked, byTokens } = await startSlice(
      requestShare({ ids: [0, 1, 2, 3], count: 16 }),
    );
    const sent = Promise.all(channels.map(({ id }) => api.messagesAfter(id, '0', 1)));
    while (asked(/messages\?/).length < 12) await byTokens(1);
    // What was sent before this would have come by now.
    await byTokens(20);
    expect(asked(/messages\?/)).toHaveLength(12);
    await clock.advance(1_100);
    await sent;
    expect(asked(/messages\?/)).toHaveLength(14);
  });

  it('doesn’t limit requests by an interaction’s token, which Discord doesn’t count', async () => {
    const { api, clock, channels, asked, byTokens } = await startSlice(1 / 50);
    // One a second: the second of these waits.
    const counted = Promise.all(channels.slice(0, 2).map(({ id }) => api.messagesAfter(id, '0', 1)));
    await byTokens(60);
    expect(asked(/webhooks/)).toHaveLength(60);
    expect(asked(/messages\?/)).toHaveLength(1);
    await clock.advance(1_100);
    await counted;
    expect(asked(/messages\?/)).toHaveLength(2);
  });
});
