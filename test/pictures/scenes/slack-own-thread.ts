import type { SlackScene } from '../stage/scene.ts';

export const slackOwnThread: SlackScene = {
  name: 'slack-own-thread',
  shows: {
    en: ['Elevator', 'only moderators can reset it'],
    'zh-CN': ['小雅 ：给我一个片名', '电梯', '只有管理员或版主可以重置'],
  },
  async play(place) {
    const { ada, ben, channel } = place;
    await place.answers(
      {
        en: 'Three rules: one room, two people, no phones.',
        'zh-CN': '三条规则：一个房间，两个人，没有手机。',
      },
      { en: '*Elevator*: two rivals, one power cut.', 'zh-CN': '《电梯》：两个对手，一次停电。' },
    );
    const prompt = place.in({ en: 'Help me plot a short film', 'zh-CN': '帮我构思一部短片' });
    await ada.types(`/ask ${prompt} --thread`, channel);
    const first = await place.finished();
    const thread = first.threadTs ?? first.ts;
    ada.says(place.in({ en: 'Give me a title and one line', 'zh-CN': '给我一个片名和一句话' }), channel, {
      thread,
    });
    await place.finished(2);
    await ben.types('/troupe reset', channel);
    await place.until('the refusal', () => ben.whispers[0]);
    const caption = {
      en: 'Ada asks with --thread: a conversation of its own, where no mention is needed. Ben can’t reset what the channel shares.',
      'zh-CN':
        '小雅用 --thread 提问：消息列里是单独的对话，不用再提及机器人。频道里共用的对话，阿本不能重置。',
    };
    return [place.look(caption, { as: ben })];
  },
};
