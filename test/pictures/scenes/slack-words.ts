import type { SlackScene } from '../stage/scene.ts';

export const slackWords: SlackScene = {
  name: 'slack-words',
  shows: { en: ['a cat with a film reel', '/troupe renders'], 'zh-CN': ['猫和电影胶片', '/troupe renders'] },
  async play(place) {
    const { ada, ben, channel } = place;
    const need = { en: 'We still need a poster for Friday.', 'zh-CN': '周五的活动还缺一张海报。' };
    const thread = ben.says(place.in(need), channel).message.ts;
    const wish = { en: 'imagine a cat with a film reel --size 3k', 'zh-CN': '画图 猫和电影胶片 --size 3k' };
    ada.says(`${ada.bot} ${place.in(wish)}`, channel, { thread });
    await place.drawn();
    const question = { en: 'what can you do?', 'zh-CN': '你能做什么？' };
    ben.says(`${ben.bot} ${place.in(question)}`, channel, { thread });
    await place.until('help', () => ben.whispers[0]);
    const caption = {
      en: 'In a thread Slack has no slash commands: Ada says what she wants, Ben asks what the bot can do.',
      'zh-CN': '消息列里没有斜杠命令：小雅直接说想要什么，阿本问机器人能做什么。',
    };
    return [place.look(caption, { as: ben })];
  },
};
