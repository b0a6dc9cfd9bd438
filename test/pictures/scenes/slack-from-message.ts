import type { SlackScene } from '../stage/scene.ts';

export const slackFromMessage: SlackScene = {
  name: 'slack-from-message',
  shows: { en: ['Imagine this', 'about Ben’s message'], 'zh-CN': ['据此画图', '关于 阿本 的消息'] },
  async play(place) {
    const { ada, ben, channel } = place;
    const plan = { en: 'A night market by the sea under the stars', 'zh-CN': '星空下的海边城市' };
    const { message } = ben.says(place.in(plan), channel);
    await ada.picks(message, 'Imagine this');
    const opened = {
      en: 'Ada opens the menu of Ben’s message and chooses “Imagine this”.',
      'zh-CN': '小雅在阿本消息的菜单里选“据此画图”。',
    };
    const form = await place.form(opened, ada);
    await ada.sends({ size: '1280x720' });
    await place.drawn();
    return [form, place.look({ en: 'The image, for everybody.', 'zh-CN': '图片，大家都能看到。' })];
  },
};
