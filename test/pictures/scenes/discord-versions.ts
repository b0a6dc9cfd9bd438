import type { DiscordScene } from '../stage/scene.ts';

export const discordVersions: DiscordScene = {
  name: 'discord-versions',
  shows: { en: ['2/2', '1/2'], 'zh-CN': ['2/2', '1/2'] },
  async play(place) {
    const { ada, ben, channel, discord, words } = place;
    const prompt = place.in({ en: 'a castle in the snow', 'zh-CN': '雪中的城堡' });
    ada.types(channel, { name: 'imagine', options: { prompt, size: '640x360' } });
    const image = await place.withButton(words.again(1));
    const shows = (position: string) =>
      discord.until(position, () => JSON.stringify(image.components).includes(`"label":"${position}"`));
    ada.presses(image, words.again(1));
    await shows('2/2');
    const again = {
      en: 'Ada presses Again under her image: a new version takes its place.',
      'zh-CN': '小雅在自己的图片下点“再来一张”：新的一版换到原处。',
    };
    const second = place.look(again, { messages: [image] });
    ben.presses(image, '‹');
    await shows('1/2');
    const back = { en: 'Ben pages back to the first.', 'zh-CN': '阿本翻回第一版。' };
    return [second, place.look(back, { messages: [image] })];
  },
};
