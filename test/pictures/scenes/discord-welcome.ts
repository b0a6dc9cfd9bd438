import { PermissionFlagsBits } from 'discord-api-types/v10';
import { invited } from '../../platforms/discord/support/invited.ts';
import type { DiscordScene } from '../stage/scene.ts';

export const discordWelcome: DiscordScene = {
  name: 'discord-welcome',
  shows: {
    en: ['Hi, I’m @troupe', 'Attach Files', 'What I can do here', 'That’s my role'],
    'zh-CN': ['我是 AI 助手 @troupe', '附加文件', '我在这里能做什么', '这是我的身份组'],
  },
  async play(place) {
    const { ada, discord, guild: other } = place;
    const { world } = discord;
    const everybody = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.UseApplicationCommands;
    const guild = world.addGuild({
      name: other.name,
      owner: ada.user,
      permissions: everybody,
      hasBot: false,
      locale: other.preferredLocale,
    });
    const channel = world.addChannel(guild, place.channel.name);
    discord.events.invited(guild, invited & ~PermissionFlagsBits.AttachFiles);
    await place.message('the introduction', () => true, channel);
    const welcome = place.look(
      {
        en: 'The bot joins a server, without the permission to attach files.',
        'zh-CN': '机器人加入服务器，但没有“附加文件”权限。',
      },
      { channel },
    );
    ada.types(channel, { name: 'help' });
    const help = await place.message('help', ({ onlyFor }) => onlyFor !== undefined, channel);
    const typed = {
      en: 'Ada types /help; every command can be clicked.',
      'zh-CN': '小雅使用 /帮助，每个命令都可以点击。',
    };
    const overview = place.look(typed, { messages: [help] });
    const role = [...guild.roles.values()].find(({ botId }) => botId !== undefined);
    const hello = place.in({ en: 'what’s on tonight?', 'zh-CN': '今晚放什么？' });
    const wrong = ada.writes(channel, `<@&${role?.id}> ${hello}`);
    const hint = await place.message('the hint', ({ id }) => BigInt(id) > BigInt(wrong.id), channel);
    const mistaken = {
      en: 'She mentions the bot’s role instead of the bot.',
      'zh-CN': '她提及的是机器人的身份组，不是机器人。',
    };
    return [welcome, overview, place.look(mistaken, { messages: [wrong, hint] })];
  },
};
