import { drawStep } from '../draw/slack-step.ts';
import type { SlackScene } from '../stage/scene.ts';

export const slackStep: SlackScene = {
  name: 'slack-step',
  shows: { en: ['Ask troupe', 'Answer', 'Subtitles'], 'zh-CN': ['Ask troupe', '字幕'] },
  async play(place) {
    const { ada, channel } = place;
    await place.answers({
      en: '1. Projector\n2. Subtitles\n3. Blankets',
      'zh-CN': '1. 投影仪\n2. 字幕\n3. 毯子',
    });
    const prompt = place.in({ en: 'A checklist for film night, three items', 'zh-CN': '电影之夜清单，三项' });
    const inputs = { prompt, channel: channel.id, person: ada.user.id };
    const { execution } = ada.runs('ask', inputs);
    await place.until('the end of the step', () => execution.state !== 'running');
    const viewer = { person: ada, locale: place.locale };
    const step = {
      en: 'A workflow of Ada’s runs a step of the bot’s.',
      'zh-CN': '小雅的工作流程运行机器人的一个步骤。',
    };
    const posted = {
      en: 'Its answer is posted where the step says.',
      'zh-CN': '回答按步骤的设置发到频道里。',
    };
    return [{ caption: place.in(step), drawn: drawStep(viewer, execution, inputs) }, place.look(posted)];
  },
};
