import type { SlackScene } from '../stage/scene.ts';

export const slackThread: SlackScene = {
  name: 'slack-thread',
  shows: { en: ['Ben brings the projector'], 'zh-CN': ['阿本带投影仪'] },
  async play(place) {
    const { ada, ben, channel } = place;
    await place.answers({
      en: '- Ben brings the projector.\n- Ada brings popcorn.\n- Nobody has taken the blankets yet.',
      'zh-CN': '- 阿本带投影仪。\n- 小雅带爆米花。\n- 毯子还没人带。',
    });
    const root = { en: 'Film night on Friday: who brings what?', 'zh-CN': '周五的电影之夜：谁带什么？' };
    const thread = ben.says(place.in(root), channel).message.ts;
    ben.says(place.in({ en: 'I’ll bring the projector.', 'zh-CN': '我带投影仪。' }), channel, { thread });
    ada.says(place.in({ en: 'Popcorn. We also need blankets.', 'zh-CN': '爆米花。还需要毯子。' }), channel, {
      thread,
    });
    const question = place.in({ en: 'what’s still missing?', 'zh-CN': '还缺什么？' });
    ada.says(`${ada.bot} ${question}`, channel, { thread });
    await place.finished();
    const caption = {
      en: 'A mention in a thread: the bot reads the thread so far.',
      'zh-CN': '在消息列里提及：机器人会读前面的消息。',
    };
    return [place.look(caption)];
  },
};
