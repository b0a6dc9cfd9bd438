import type { DiscordScene } from '../stage/scene.ts';

export const discordFromMessage: DiscordScene = {
  name: 'discord-from-message',
  shows: { en: ['Ask about this', 'Bring a blanket'], 'zh-CN': ['就此提问', '带条毯子'] },
  async play(place) {
    const { ada, ben, channel } = place;
    await place.answers({
      en: 'Bring a blanket: it’s a **roof** in April, and the film runs past midnight.',
      'zh-CN': '带条毯子：四月的**天台**很凉，电影要放到半夜。',
    });
    const plan = {
      en: 'Friday: *The Third Man*, on the roof, doors at nine.',
      'zh-CN': '周五放《第三人》，在天台，九点入场。',
    };
    const message = ben.writes(channel, place.in(plan));
    const picked = ada.picks(message, 'Ask about this');
    const prompt = place.in({ en: 'What should I bring?', 'zh-CN': '我该带什么？' });
    const opened = {
      en: 'Ada opens the menu of Ben’s message and chooses “Ask about this”.',
      'zh-CN': '小雅在阿本消息的菜单里选“就此提问”。',
    };
    const form = await place.form(opened, picked, { prompt });
    ada.submits(picked, { prompt });
    await place.finished();
    return [form, place.look({ en: 'The answer, in the channel.', 'zh-CN': '回答发在频道里。' })];
  },
};
