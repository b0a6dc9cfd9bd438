import type { DiscordScene } from '../stage/scene.ts';

export const discordGallery: DiscordScene = {
  name: 'discord-gallery',
  shows: { en: ['Use 4', 'To video', 'SPOILER'], 'zh-CN': ['选第 4 张', '变成视频', 'SPOILER'] },
  async play(place) {
    const { ada, ben, channel, words } = place;
    const prompt = place.in({ en: 'a cat by the sea', 'zh-CN': '海边的猫' });
    ada.types(channel, { name: 'imagine', options: { prompt, size: '640x480', count: 4 } });
    const four = await place.withButton(words.again(4));
    const drawn = { en: 'Ada asks for four images.', 'zh-CN': '小雅一次要四张图片。' };
    const images = place.look(drawn);
    ben.presses(four, place.in({ en: 'Use 2', 'zh-CN': '选第 2 张' }));
    const choice = await place.message('the choice', ({ onlyFor }) => onlyFor === ben.user.id);
    const chosen = { en: 'Ben takes the second one further.', 'zh-CN': '阿本用第二张接着做。' };
    const use = place.look(chosen, { as: ben, messages: [choice] });
    const end = place.in({ en: 'the last scene: a city at night', 'zh-CN': '最后一幕：夜晚的城市' });
    ada.types(channel, { name: 'imagine', options: { prompt: end, size: '640x360', spoiler: true } });
    const hidden = await place.message('the spoiler', ({ files }) => files.some(({ spoiler }) => spoiler));
    await place.discord.until('its buttons', () =>
      JSON.stringify(hidden.components).includes(words.again(1)),
    );
    const spoiler = {
      en: 'With spoiler:true it stays covered until clicked.',
      'zh-CN': '加上 spoiler:true，点开之前一直遮着。',
    };
    return [images, use, place.look(spoiler, { messages: [hidden] })];
  },
};
