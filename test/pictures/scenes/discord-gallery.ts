import type { DiscordScene } from '../stage/scene.ts';

export const discordGallery: DiscordScene = {
  name: 'discord-gallery',
  shows: { en: ['a cat by the sea'], 'zh-CN': ['海边的猫'] },
  async play(place) {
    const { ada, channel } = place;
    const prompt = place.in({ en: 'a cat by the sea', 'zh-CN': '海边的猫' });
    ada.types(channel, { name: 'imagine', options: { prompt, size: '1024x1024', count: 4 } });
    await place.withButton(place.words.again(4));
    return [place.look({ en: 'Four at once.', 'zh-CN': '一次四张。' })];
  },
};
