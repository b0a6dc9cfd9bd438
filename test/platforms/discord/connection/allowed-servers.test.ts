import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../src/port/index.ts';
import type { Channel, FakeDiscord, Guild } from '../../../fakes/discord/index.ts';
import { echo } from '../support/commands.ts';
import { invited } from '../support/invited.ts';
import { type Stage, startStage } from '../support/stage.ts';

/** The first server is the one where the bot runs. */
const firstServer = (discord: FakeDiscord) => [...discord.world.guilds.keys()].slice(0, 1);

/** Another server with the bot in it, and a channel for its news. */
function another(discord: FakeDiscord, hasBot = true): { guild: Guild; channel: Channel } {
  const owner = discord.world.addUser('stranger');
  const guild = discord.world.addGuild({ name: 'Elsewhere', owner, permissions: invited, hasBot });
  const channel = discord.world.addChannel(guild, 'news');
  guild.systemChannelId = channel.id;
  return { guild, channel };
}

const said = (stage: Stage, place: Channel) =>
  stage.ofBot(place, { ephemeral: true }).flatMap(({ content }) => content || []);
const refusal = 'I only work in certain servers. The person who runs this bot decides which.';

/** A server invites the bot, which leaves. */
async function invites({ discord }: Stage, guild: Guild): Promise<void> {
  guild.hasBot = true;
  discord.events.guildCreated(guild);
  await discord.until('the departure', () => !guild.hasBot);
  discord.events.guildRemoved(guild);
}

describe('a server that isn’t in ALLOWED_GUILDS', () => {
  it('is left with one notice in its system channel, at the start', async () => {
    let elsewhere: ReturnType<typeof another> | undefined;
    const stage = await startStage({
      commands: [echo],
      allowedGuilds: firstServer,
      before: (discord) => {
        elsewhere = another(discord);
      },
    });
    const { guild, channel } = elsewhere!;
    await stage.discord.until('the departure', () => !guild.hasBot);
    expect(said(stage, channel)).toEqual([
      expect.stringContaining('this isn’t one of them, so I’m leaving.'),
    ]);
    expect(stage.guild.hasBot).toBe(true);
  });

  it('is left when the bot is invited, with a notice to its owner if no channel is open; once a day', async () => {
    const stage = await startStage({ commands: [echo], allowedGuilds: firstServer });
    const { guild, channel } = another(stage.discord);
    guild.systemChannelId = null;
    const owner = stage.discord.person(stage.discord.world.user(guild.ownerId)).direct();
    for (let times = 0; times < 2; times++) await invites(stage, guild);
    expect(said(stage, owner)).toEqual([expect.stringContaining('so I’m leaving')]);
    expect(said(stage, channel)).toEqual([]);
  });

  it('is left without a notice if none is accepted, as often as it’s invited', async () => {
    const stage = await startStage({ commands: [echo], allowedGuilds: firstServer });
    const { guild, channel } = another(stage.discord);
    guild.roles.get(guild.id)!.permissions = 0n;
    stage.discord.world.user(guild.ownerId).acceptsDirectMessages = false;
    for (let times = 0; times < 3; times++) await invites(stage, guild);
    expect(said(stage, channel)).toEqual([]);
    const posts = stage.discord.journal.requests.filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/messages'),
    );
    expect(posts.length).toBeLessThanOrEqual(1);
  });

  it('does nothing for people who installed the bot for themselves, and says so privately', async () => {
    const stage = await startStage({ commands: [echo], allowedGuilds: firstServer });
    const { guild, channel } = another(stage.discord, false);
    stage.discord.world.addMember(guild, stage.ada.user);
    stage.ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    await stage.discord.until('the sentence', () => said(stage, channel).length > 0);
    const [message] = stage.discord.messagesIn(channel, { ephemeral: true });
    expect(message).toMatchObject({ content: refusal, onlyFor: stage.ada.user.id });
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
    await stage.discord.until('the answer', () => said(stage, stage.channel)[0] === 'ada: hello');
    expect(await stage.database.selectFrom('jobs').select('id').execute()).toHaveLength(1);
  });
});

describe('direct messages if servers are listed', () => {
  it('are for operators only, because nobody can know who belongs to a server', async () => {
    const operators: string[] = [];
    const stage = await startStage({ commands: [echo], allowedGuilds: firstServer, operators });
    operators.push(stage.bob.user.id);
    const [adas, bobs] = [stage.ada.direct(), stage.bob.direct()];
    stage.ada.types(adas, { name: 'echo', options: { text: 'hello' } });
    stage.bob.types(bobs, { name: 'echo', options: { text: 'hello' } });
    await stage.discord.until('both', () => said(stage, adas).length + said(stage, bobs).length === 2);
    expect(said(stage, adas)).toEqual([refusal]);
    expect(said(stage, bobs)).toEqual(['bob: hello']);
  });

  it('are explained once a day', async () => {
    const stage = await startStage({ commands: [echo], allowedGuilds: firstServer });
    const direct = stage.ada.direct();
    stage.ada.writes(direct, 'hello');
    await stage.discord.until('the sentence', () => said(stage, direct).length === 1);
    stage.ada.writes(direct, 'hello again');
    stage.ada.types(direct, { name: 'echo', options: { text: 'hello' } });
    await stage.discord.until('the refusal', () => said(stage, direct).length === 2);
    expect(said(stage, direct)).toEqual([refusal, refusal]);
  });

  it('are refused while the operators are unknown, each time with an explanation', async () => {
    let isAway = true;
    const operators = async () => {
      if (isAway) throw new PlatformError('unreachable');
      return true;
    };
    const stage = await startStage({ commands: [echo], allowedGuilds: firstServer, operators });
    const direct = stage.ada.direct();
    stage.ada.types(direct, { name: 'echo', options: { text: 'hello' } });
    await stage.discord.until('the refusal', () => said(stage, direct).length === 1);
    for (const times of [2, 3]) {
      stage.ada.writes(direct, 'hello');
      await stage.discord.until('the refusal', () => said(stage, direct).length === times);
    }
    const notKnown = 'I couldn’t check with Discord whether you run this bot. Please try again in a minute.';
    expect(said(stage, direct)).toEqual([notKnown, notKnown, notKnown]);
    isAway = false;
    stage.ada.types(direct, { name: 'echo', options: { text: 'hello' } });
    await stage.discord.until('the answer', () => said(stage, direct)[3] === 'ada: hello');
  });
});
