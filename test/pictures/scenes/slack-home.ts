import { drawSlackView } from '../draw/slack.ts';
import type { SlackScene } from '../stage/scene.ts';

export const slackHome: SlackScene = {
  name: 'slack-home',
  shows: { en: ['What I can do', 'Today: 22'], 'zh-CN': ['我能做什么', '今天： 22'] },
  async play(place) {
    const { ada, channel, locale } = place;
    ada.says(
      `${ada.bot} imagine ${place.in({ en: 'a cat in a hat', 'zh-CN': '戴帽子的猫' })} --size 1024x1024`,
      channel,
    );
    await place.drawn();
    await ada.opensHome().done;
    const home = await place.until('the Home tab', () => ada.home);
    return [
      {
        caption: place.in({ en: 'Ada opens the app’s Home tab.', 'zh-CN': '小雅打开应用的主页。' }),
        drawn: drawSlackView({ person: ada, locale }, home),
      },
    ];
  },
};
