import { Locale, MessageType, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import type { Channel, FakeDiscord, Guild } from '../../../fakes/discord/index.ts';
import { echo, secret } from '../support/commands.ts';
import { invited } from '../support/invited.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

const commands = [echo, secret];
const day = 86_400_000;
const hidden = PermissionFlagsBits.ViewChannel;

/** A server without the bot, with two channels. */
function another({ world }: FakeDiscord, locale = Locale.EnglishUS) {
  const owner = world.addUser('stranger');
  const guild = world.addGuild({ name: 'Elsewhere', owner, permissions: 0n, hasBot: false, locale });
  const lower = world.addChannel(guild, 'lower');
  const upper = world.addChannel(guild, 'upper');
  Object.assign(lower, { position: 2 });
  Object.assign(upper, { position: 1 });
  return { guild, lower, upper };
}

const start = (options: Partial<StageOptions> = {}) => startStage({ commands, ...options });
const said = ({ discord }: Stage, ...channels: readonly Channel[]) =>
  channels.flatMap((channel) => discord.messagesIn(channel).map(({ content }) => content));
const greetings = (stage: Stage) =>
  stage.logged.filter((line) => line.includes('introduced itself in a new server')).length;
const greeted = (stage: Stage, times = 1) =>
  stage.discord.until('the introduction', () => greetings(stage) === times);
/** Lets the bot handle everything that Discord has sent so far. */
async function settled(stage: Stage) {
  const before = stage.discord.messagesIn(stage.channel, { ephemeral: true }).length;
  stage.ada.types(stage.channel, { name: 'echo', options: { text: 'done' } });
  await stage.discord.until('the answer', () =>
    stage.discord
      .messagesIn(stage.channel, { ephemeral: true })
      .slice(before)
      .some(({ content }) => content !== ''),
  );
}
const deny = (channel: Channel, guild: Guild, deny: bigint) =>
  void channel.overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny });

describe('a server that the bot is invited to', () => {
  it('is told once what it can do, that no permission is missing, and how to set it up', async () => {
    const stage = await start();
    const { discord } = stage;
    const { guild, lower, upper } = another(discord);
    guild.systemChannelId = lower.id;
    discord.events.invited(guild, invited);
    await greeted(stage);
    discord.gateway.repeatLast('GUILD_CREATE');
    await settled(stage);
    const help = discord.commands.list('global').find(({ name }) => name === 'help')?.id;
    expect(said(stage, lower)).toEqual([
      [
        `👋 Hi, I’m <@${discord.world.bot.id}>, an AI assistant. I answer questions, speak, draw and make videos: \`/ask\`, \`/speak\`, \`/imagine\` and \`/video\`.`,
        `Mention me to ask something, or use </help:${help}> to see everything I can do. Administrators choose models, budgets and who can use what with \`/settings\`.`,
        '',
        '✅ I have all the permissions I need.',
      ].join('\n'),
    ]);
    expect(discord.messagesIn(lower)[0]?.mentions).toEqual([]);
    expect(said(stage, upper)).toEqual([]);
  });

  it('reads in its own language which permissions each command lacks', async () => {
    const stage = await start();
    const { guild, upper } = another(stage.discord, Locale.ChineseCN);
    const { AttachFiles, Connect, ReadMessageHistory, SendVoiceMessages } = PermissionFlagsBits;
    const lacks = AttachFiles | Connect | ReadMessageHistory | SendVoiceMessages;
    stage.discord.events.invited(guild, invited & ~lacks);
    await greeted(stage);
    const [text = ''] = said(stage, upper);
    expect(text).toContain('我能回答问题、朗读、画图、做视频：`/ask`、`/speak`、`/imagine`、`/video`。');
    expect(text.split('\n\n').slice(1).join('\n\n')).toBe(
      [
        '⚠️ 我在这个服务器里还缺少一些权限：',
        '- `/ask`：读取消息历史记录（Read Message History）、连接（Connect，用于语音频道的聊天）',
        '- `/speak`：附加文件（Attach Files）、发送语音消息（Send Voice Messages）',
        '- `/imagine`：附加文件（Attach Files）',
        '- `/video`：附加文件（Attach Files）',
        '',
        '管理员可以在“服务器设置 → 身份组”里授予。',
      ].join('\n'),
    );
  });

  it('is told in the first channel from the top that takes it, but not among its rules', async () => {
    const stage = await start();
    const { guild, lower, upper } = another(stage.discord);
    const { world } = stage.discord;
    const rules = Object.assign(world.addChannel(guild, 'rules'), { position: 0 });
    guild.rulesChannelId = rules.id;
    deny(upper, guild, hidden);
    guild.systemChannelId = upper.id;
    stage.discord.events.invited(guild, invited);
    await greeted(stage);
    expect(said(stage, rules, upper)).toEqual([]);
    expect(said(stage, lower)).toHaveLength(1);
  });

  it('isn’t told in a channel where everybody else only reads, though an administrator’s role lets it write', async () => {
    const stage = await start();
    const { guild, lower, upper } = another(stage.discord);
    deny(upper, guild, PermissionFlagsBits.SendMessages);
    const everyone = guild.roles.get(guild.id);
    if (everyone) everyone.permissions |= PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessages;
    stage.discord.events.invited(guild, PermissionFlagsBits.Administrator);
    await greeted(stage);
    expect(said(stage, upper)).toEqual([]);
    expect(said(stage, lower)).toHaveLength(1);
  });

  it('is told in another channel if its moderation refuses the first', async () => {
    const stage = await start();
    const { guild, lower, upper } = another(stage.discord);
    stage.discord.faults.next('POST /channels/{channel_id}/messages', {
      kind: 'error',
      status: 400,
    });
    stage.discord.events.invited(guild, invited);
    await greeted(stage);
    expect(said(stage, upper)).toEqual([]);
    expect(said(stage, lower)).toHaveLength(1);
  });

  it('is told nothing where the bot can’t write anywhere', async () => {
    const stage = await start();
    const { guild, lower, upper } = another(stage.discord);
    stage.discord.events.invited(guild, invited & ~PermissionFlagsBits.SendMessages);
    await settled(stage);
    expect(said(stage, lower, upper)).toEqual([]);
    expect(stage.logged.join('')).not.toContain('could not introduce');
    expect(stage.discord.journal.to('POST /channels/{channel_id}/messages')).toHaveLength(0);
  });

  it('is told by whichever shard it belongs to, once, though it joined while the bot was off', async () => {
    let places: ReturnType<typeof another> | undefined;
    const stage = await start({
      before: (discord) => {
        discord.gateway.shards = 2;
        discord.gateway.maxConcurrency = 2;
        places = another(discord);
        discord.world.addBot(places.guild, {
          permissions: invited,
          joinedAt: discord.world.clock.now() - 60_000,
        });
      },
    });
    await greeted(stage);
    await stage.restart();
    await settled(stage);
    expect(said(stage, places!.lower, places!.upper)).toHaveLength(1);
    expect(said(stage, stage.channel)).toEqual(['ada: done']);
  });

  it('is told although Discord has announced the bot there, in a message of the bot’s own', async () => {
    const { discord } = await start();
    const { guild, upper } = another(discord);
    const { world } = discord;
    world.addBot(guild, { permissions: invited, joinedAt: world.clock.now() });
    const announced = { channelId: upper.id, authorId: world.bot.id, type: MessageType.UserJoin };
    discord.messages.keepUnchecked(announced, {});
    discord.events.guildCreated(guild);
    await discord.until('the introduction', () => discord.messagesIn(upper).length === 2);
  });

  it('is told again when it invites the bot again, but not after an outage', async () => {
    const clock = new FakeClock();
    const stage = await start({ clock });
    const { discord } = stage;
    const { guild, upper } = another(discord);
    discord.events.invited(guild, invited);
    await greeted(stage);
    discord.events.guildUnavailable(guild);
    discord.events.guildCreated(guild);
    await settled(stage);
    expect(said(stage, upper)).toHaveLength(1);
    discord.events.guildRemoved(guild);
    await clock.advance(1000);
    discord.events.invited(guild, invited);
    await greeted(stage, 2);
    expect(said(stage, upper)).toHaveLength(2);
  });

  it('is told once where the response to the message was lost and the bot started again', async () => {
    const stage = await start();
    const { guild, lower, upper } = another(stage.discord);
    stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'close-after' });
    stage.discord.events.invited(guild, invited);
    await stage.discord.until('the message', () => said(stage, upper).length === 1);
    await stage.restart();
    await greeted(stage);
    expect(said(stage, lower, upper)).toHaveLength(1);
  });

  it.each([
    ['a day later', day],
    ['by a bot whose clock is a day behind', -day],
  ])('is told nothing %s', async (_, age) => {
    const clock = new FakeClock();
    const stage = await start({ clock });
    const { guild, lower, upper } = another(stage.discord);
    stage.discord.world.addBot(guild, { permissions: invited, joinedAt: clock.now() - age });
    stage.discord.events.guildCreated(guild);
    await settled(stage);
    expect(said(stage, lower, upper)).toEqual([]);
  });

  it('is told nothing unless ALLOWED_GUILDS and DISCORD_GUILD_ID are about it', async () => {
    const first = (discord: FakeDiscord) => [...discord.world.guilds.keys()][0]!;
    const limits = [{ guildId: first }, { allowedGuilds: (discord: FakeDiscord) => [first(discord)] }];
    for (const limit of limits) {
      const stage = await start(limit);
      const { guild, lower, upper } = another(stage.discord);
      stage.discord.events.invited(guild, invited);
      await settled(stage);
      expect(said(stage, lower, upper).join('')).not.toContain('Hi, I’m');
      expect(greetings(stage)).toBe(0);
    }
  });
});
