import { slackWords } from '../../../src/platforms/slack/words.ts';
import type { SlackScene } from '../stage/scene.ts';

export const slackAddMe: SlackScene = {
  name: 'slack-add-me',
  shows: { en: ['a cat by the sea'], 'zh-CN': ['海边的猫'] },
  async play(place) {
    const { ada, ben, slack, workspace } = place;
    const name = place.in({ en: 'posters', 'zh-CN': '海报' });
    const channel = slack.channel(workspace, name, [ada, ben], { withoutBot: true });
    const wish = place.in({ en: 'a cat by the sea', 'zh-CN': '海边的猫' });
    await ada.types(`/imagine ${wish} --size 1280x720`, channel);
    const offer = await place.until('the offer', () => ada.whispers[0]);
    const before = place.look(
      {
        en: `Ada types /imagine in #${name}, where the bot isn’t a member.`,
        'zh-CN': `小雅在 #${name} 用 /imagine，机器人还不在那个频道。`,
      },
      { channel },
    );
    await ada.presses(offer, slackWords(place.locale).addMeHere);
    await place.drawn(channel);
    const after = {
      en: 'She presses the button: the bot joins and runs what she asked for.',
      'zh-CN': '她点了按钮：机器人加入频道，并执行刚才的命令。',
    };
    return [before, place.look(after, { channel })];
  },
};
