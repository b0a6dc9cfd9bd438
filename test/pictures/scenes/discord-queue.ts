import type { DiscordScene } from '../stage/scene.ts';

export const discordQueue: DiscordScene = {
  name: 'discord-queue',
  shows: {
    en: ['in the queue', 'Cancel', 'Canceled. Nothing was spent.'],
    'zh-CN': ['取消', '已取消，没有扣除积分。'],
  },
  async play(place) {
    const { ada, ben, channel, words } = place;
    await place.busyFor(5);
    const draw = (person: typeof ada, prompt: string) =>
      person.types(channel, { name: 'imagine', options: { prompt, size: '640x360' } });
    draw(ben, place.in({ en: 'a castle in the snow', 'zh-CN': '雪中的城堡' }));
    await place.message('the first', ({ content }) => content !== '');
    const wish = place.in({ en: 'a cat by the sea', 'zh-CN': '海边的猫' });
    draw(ada, wish);
    const waiting = await place.message(
      'Ada’s turn',
      ({ content, components }) => content.includes(wish) && components.length > 0,
    );
    const busy = {
      en: 'The service is busy: Ada’s image waits its turn.',
      'zh-CN': '服务正忙：小雅的图片在排队。',
    };
    const before = place.look(busy, { messages: [waiting] });
    ada.presses(waiting, words.cancel);
    await place.message('the end', ({ content }) => content.includes(words.canceled));
    const done = { en: 'She cancels it while nothing has been sent.', 'zh-CN': '还没发出去，她取消了。' };
    const after = place.look(done, { messages: [waiting] });
    // The service takes Ben’s image, and is as it was.
    await place.withButton(words.again(1));
    return [before, after];
  },
};
