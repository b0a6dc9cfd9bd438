import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Address } from '../../../../src/port/index.ts';
import type { Channel } from '../../../fakes/discord/index.ts';
import { echo } from '../support/commands.ts';
import { type Stage, startStage, withoutPermission } from '../support/stage.ts';

/** What the gateway tells of a server that changes. */

/** Gives a command; when it's answered, what happened before is known. @returns where it's answered. */
async function answered({ discord, database, ada, channel }: Stage, place = channel): Promise<Address> {
  const interaction = ada.types(place, { name: 'echo', options: { text: 'x' } });
  await discord.until('the answer', () =>
    discord.messagesIn(place).some((one) => one.interactionId === interaction.id && one.content !== ''),
  );
  const row = await database
    .selectFrom('jobs')
    .select('address')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  return JSON.parse(row.address) as Address;
}

const at = ({ guild }: Stage, { id }: Channel) =>
  ({ platform: 'discord', workspace: guild.id, channel: id }) as const;

describe('the bot’s permissions', () => {
  const mayOpen = PermissionFlagsBits.CreatePublicThreads;

  /** The bot may open threads by a role of its own. */
  async function byRole() {
    const stage = await startStage({
      commands: [echo],
      before: (discord) => {
        const { world } = discord;
        withoutPermission(mayOpen)(discord);
        for (const guild of world.guilds.values()) {
          const role = world.addRole(guild, 'openers', mayOpen);
          guild.members.get(world.bot.id)!.roles.push(role.id);
        }
      },
    });
    const [role] = [...stage.guild.roles.values()].filter(({ name }) => name === 'openers');
    const threads = async () => {
      await answered(stage);
      return stage.platform.adapter.threadsAt(at(stage, stage.channel));
    };
    expect(await threads()).toEqual({ kind: 'possible' });
    return { ...stage, role: role!, threads };
  }
  const missing = { kind: 'missing', permission: 'Create Public Threads' };

  it('go with those of a role', async () => {
    const { discord, guild, role, threads } = await byRole();
    role.permissions = 0n;
    discord.events.roleUpdated(guild, role);
    expect(await threads()).toEqual(missing);
    role.permissions = mayOpen;
    discord.events.roleUpdated(guild, role);
    expect(await threads()).toEqual({ kind: 'possible' });
  });

  it('go with a role that’s deleted', async () => {
    const { discord, guild, role, threads } = await byRole();
    guild.roles.delete(role.id);
    discord.events.roleDeleted(guild, role);
    expect(await threads()).toEqual(missing);
  });

  it('are those of the roles that come with the server’s own changes', async () => {
    const { discord, guild, role, threads } = await byRole();
    discord.events.guildUpdated(guild);
    expect(await threads()).toEqual({ kind: 'possible' });
    guild.roles.delete(role.id);
    discord.events.guildUpdated(guild);
    expect(await threads()).toEqual(missing);
  });
});

it.each(['thread', 'channel'] as const)('a %s that’s deleted isn’t there any more', async (what) => {
  const stage = await startStage({ commands: [echo] });
  const { discord, guild, ada } = stage;
  const channel = discord.world.addChannel(guild, 'talks');
  discord.events.guildCreated(guild);
  const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  const known = async () => {
    await answered(stage);
    const { adapter } = stage.platform;
    return Promise.all([channel, thread].map((one) => adapter.hasChannel(at(stage, one))));
  };
  expect(await known()).toEqual([true, true]);
  if (what === 'thread') discord.threads.delete(thread);
  else discord.events.channelDeleted(channel);
  expect(await known()).toEqual([what === 'thread', false]);
});

describe('in a private thread', () => {
  /** Where the bot isn't in it, its token alone posts there. */
  const isIn = async (stage: Stage, thread: Channel) =>
    (await answered(stage, thread)).platformData === undefined;

  async function privateThread() {
    const stage = await startStage({ commands: [echo] });
    const { discord, channel, ada } = stage;
    const thread = discord.threads.openPrivate(channel, ada.user.id, 'Between us');
    expect(await isIn(stage, thread)).toBe(true);
    return { stage, thread };
  }

  it('the bot is until it’s taken out, and once it’s added again', async () => {
    const { stage, thread } = await privateThread();
    stage.discord.threads.takeOutBot(thread);
    expect(await isIn(stage, thread)).toBe(false);
    stage.discord.threads.addBot(thread);
    expect(await isIn(stage, thread)).toBe(true);
  });

  it('the bot still is if that was archived while it logged in, and is opened again', async () => {
    const { stage, thread } = await privateThread();
    const { discord, ada } = stage;
    ada.closes(thread);
    discord.gateway.resumable = false;
    await stage.restart();
    expect(discord.gateway.identifyCount).toBe(2);
    discord.threads.reopen(thread);
    expect(await isIn(stage, thread)).toBe(true);
  });

  it('the bot stays when that changes', async () => {
    const { stage, thread } = await privateThread();
    thread.name = 'Between you and me';
    stage.discord.events.threadUpdated(thread);
    expect(await isIn(stage, thread)).toBe(true);
    expect(await stage.platform.adapter.channelName(at(stage, thread))).toBe('#Between you and me');
  });

  it.each(['added to', 'taken out of'])(
    'that the bot was %s while it didn’t see the channel, it’s told when it does again',
    async (what) => {
      const { stage, thread } = await privateThread();
      const { discord, channel } = stage;
      if (what === 'added to') discord.threads.takeOutBot(thread);
      const { bot } = discord.world;
      channel.overwrites.push({
        id: bot.id,
        type: 'member',
        allow: 0n,
        deny: PermissionFlagsBits.ViewChannel,
      });
      discord.events.channelUpdated(channel);
      const members = thread.thread!.members;
      if (what === 'added to') members.add(bot.id);
      else members.delete(bot.id);
      channel.overwrites.length = 0;
      discord.events.channelUpdated(channel);
      discord.events.threadsSynced(channel);
      expect(await isIn(stage, thread)).toBe(what === 'added to');
    },
  );
});

it('a public thread that was opened where the bot saw nothing is known once it does', async () => {
  const stage = await startStage({ commands: [echo] });
  const { discord, guild, channel, ada } = stage;
  const other = discord.world.addChannel(guild, 'talks');
  discord.events.guildCreated(guild);
  const thread = discord.threads.open(other, ada.writes(other, 'a talk').id, { name: 'A talk' });
  thread.name = 'Another';
  discord.events.threadsSynced(other);
  await answered(stage, channel);
  expect(await stage.platform.adapter.channelName(at(stage, thread))).toBe('#Another');
});

it.each(['a channel', 'a private thread'])('%s has a name only for a reader who sees it', async (what) => {
  const stage = await startStage({ commands: [echo] });
  const { discord, guild, channel, ada, platform } = stage;
  const eve = discord.addPerson(guild, 'eve');
  let place = channel;
  if (what === 'a private thread') place = discord.threads.openPrivate(channel, ada.user.id, 'Between us');
  else
    channel.overwrites.push({
      id: eve.user.id,
      type: 'member',
      allow: 0n,
      deny: PermissionFlagsBits.ViewChannel,
    });
  place.thread?.members.add(ada.user.id);
  discord.events.channelUpdated(channel);
  await answered(stage, channel);
  const address = { ...at(stage, channel), ...(place !== channel && { thread: place.id }) };
  const nameFor = (reader: string) => platform.adapter.channelName(address, reader);
  expect(await nameFor(ada.user.id)).toBe(`#${place.name}`);
  expect(await nameFor(eve.user.id)).toBeUndefined();
  // As where somebody asks in another server, or in direct messages.
  const elsewhere = { ...address, workspace: 'x' };
  expect(await platform.adapter.channelName(elsewhere, ada.user.id)).toBe(`#${place.name}`);
  expect(await platform.adapter.channelName(elsewhere, eve.user.id)).toBeUndefined();
});

it('the names of many channels, for one reader, take one look at who they are there', async () => {
  const stage = await startStage({ commands: [echo] });
  const { discord, guild, channel, ada, platform } = stage;
  const channels = Array.from({ length: 12 }, (_, index) => discord.world.addChannel(guild, `room-${index}`));
  discord.events.guildCreated(guild);
  await answered(stage, channel);
  const looks = () =>
    discord.journal.requests.filter(({ route }) => route === 'GET /guilds/{guild_id}/members/{user_id}');
  const before = looks().length;
  const names = channels.map((one) => platform.adapter.channelName(at(stage, one), ada.user.id));
  expect(await Promise.all(names)).toEqual(channels.map(({ name }) => `#${name}`));
  expect(looks()).toHaveLength(before + 1);
});
