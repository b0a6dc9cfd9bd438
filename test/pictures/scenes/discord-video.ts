import type { DiscordScene } from '../stage/scene.ts';

export const discordVideo: DiscordScene = {
  name: 'discord-video',
  shows: { en: ['148', 'video.mp4'], 'zh-CN': ['148', 'video.mp4'] },
  async play(place) {
    const { ada, channel, discord } = place;
    const prompt = place.in({ en: 'a boat by the lighthouse', 'zh-CN': '灯塔边的小船' });
    const typed = ada.types(channel, { name: 'video', options: { prompt, duration: 4, resolution: '480p' } });
    const root = await discord.until('the message', () => typed.responseMessageId);
    const thread = await discord.until('the thread', () => discord.world.channels.get(root));
    const asked = {
      en: 'Ada asks for a video, and sees its price at once.',
      'zh-CN': '小雅要一段视频，马上看到价格。',
    };
    // Its price goes once it's ready.
    const price = place.look(asked);
    await place.message('the video', ({ files }) => files.length > 0, thread);
    const done = { en: 'When it’s ready, it’s posted in the thread.', 'zh-CN': '做好后发在子区里。' };
    return [
      price,
      place.look(done, {
        channel: thread,
        messages: place.said(thread).filter(({ files }) => files.length > 0),
      }),
    ];
  },
};
