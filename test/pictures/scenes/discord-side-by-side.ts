import type { DiscordScene } from '../stage/scene.ts';

export const discordSideBySide: DiscordScene = {
  name: 'discord-side-by-side',
  shows: { en: ['Ada', 'Ben', 'Stop'], 'zh-CN': ['小雅', '阿本', '停止'] },
  async play(place) {
    const { ada, ben, channel } = place;
    await place.pace('human');
    await place.answers(
      {
        en: `**Projectors**\n\n${'A bright room wants a bright lamp: three thousand lumens or more. '.repeat(12)}`,
        'zh-CN': `**投影仪**\n\n${'房间越亮，灯就要越亮：三千流明以上。'.repeat(24)}`,
      },
      {
        en: `Popcorn first. ${'Then fruit, then something warm. '.repeat(12)}`,
        'zh-CN': `先是爆米花。${'然后水果，再来点热的。'.repeat(24)}`,
      },
    );
    const first = place.in({ en: 'Write a guide to projectors', 'zh-CN': '写一份投影仪指南' });
    ada.types(channel, { name: 'ask', options: { prompt: first } });
    const written = (count: number) =>
      place.discord.until(
        `${count} answers`,
        () =>
          place.said().filter(({ content }) => content.split('\n').slice(1).join('').length > 40).length >=
          count,
      );
    await written(1);
    const second = place.in({ en: 'Snacks for eight?', 'zh-CN': '八个人吃什么零食？' });
    ben.types(channel, { name: 'ask', options: { prompt: second } });
    await written(2);
    const caption = {
      en: 'Ben needn’t wait for Ada’s long answer: both are written at once.',
      'zh-CN': '阿本不用等小雅的长回答：两个回答同时在写。',
    };
    const look = place.look(caption);
    await place.pace('instant');
    return [look];
  },
};
