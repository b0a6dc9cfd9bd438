import type { SlackScene } from '../stage/scene.ts';

export const slackDirect: SlackScene = {
  name: 'slack-direct',
  shows: { en: ['Draw an image', 'working…', 'Stopped.'], 'zh-CN': ['画图', '正在处理', '已停止。'] },
  async play(place) {
    const { ada, slack } = place;
    const channel = ada.directMessages;
    await ada.opensApp().done;
    await place.until('the suggestions', () => slack.world.prompts.get(channel.id) !== undefined);
    const opened = {
      en: 'Ada opens the bot: suggestions for a start.',
      'zh-CN': '小雅打开机器人：给出开头的建议。',
    };
    const prompts = place.look(opened, { channel });
    slack.world.prompts.delete(channel.id);
    await place.pace('human');
    await place.answers({
      en: `Three short films for Friday. ${'The first one is about a lighthouse keeper. '.repeat(12)}`,
      'zh-CN': `周五的三部短片。${'第一部讲一位守灯塔的人。'.repeat(30)}`,
    });
    const question = place.in({
      en: 'Suggest three short films for Friday',
      'zh-CN': '推荐三部周五放的短片',
    });
    const { message } = ada.says(question, channel);
    const session = () => slack.world.sessions.get(`${channel.id} ${message.ts}`);
    await place.until('a growing answer', () =>
      place.said(channel).some(({ markdown = '' }) => markdown.length > 60),
    );
    const growing = place.look(
      {
        en: 'Her question is a session with a title; Slack shows that it’s at work.',
        'zh-CN': '她的提问成为一个有标题的会话；Slack 显示正在处理。',
      },
      { channel },
    );
    ada.stops(channel, message.ts);
    await place.until('the end', () => session()?.status !== 'processing');
    await place.withButton(place.words.regenerate, channel);
    await place.pace('instant');
    const stopped = { en: 'She stops it with Slack’s own button.', 'zh-CN': '她用 Slack 自带的按钮停止。' };
    return [prompts, growing, place.look(stopped, { channel })];
  },
};
