import type { DiscordScene } from '../stage/scene.ts';

export const discordReply: DiscordScene = {
  name: 'discord-reply',
  shows: { en: ['Popcorn for eight'], 'zh-CN': ['八个人的爆米花'] },
  async play(place) {
    const { ada, ben, channel, bot } = place;
    await place.answers(
      {
        en: 'Eight guests, Friday at 8: a short at 8:15, the feature at 8:40, lights on at 10:30.',
        'zh-CN': '周五晚八点，八位客人：8:15 放短片，8:40 放正片，10:30 开灯。',
      },
      {
        en: 'Popcorn for eight, cut fruit, and something warm at half past ten.',
        'zh-CN': '八个人的爆米花、切好的水果，十点半再来点热的。',
      },
    );
    const wish = { en: 'plan Friday’s film night for eight', 'zh-CN': '安排周五八个人的电影之夜' };
    const plan = ben.writes(channel, `${bot} ${place.in(wish)}`);
    await place.finished();
    const question = { en: 'which snacks go with it?', 'zh-CN': '配什么零食？' };
    ada.writes(channel, `${bot} ${place.in(question)}`, { replyTo: plan });
    await place.finished(2);
    const caption = {
      en: 'Ada replies to Ben and mentions the bot: it reads what she replies to.',
      'zh-CN': '小雅回复阿本并提及机器人：它会读她回复的那条消息。',
    };
    return [place.look(caption)];
  },
};
