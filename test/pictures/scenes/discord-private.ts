import type { DiscordScene } from '../stage/scene.ts';

export const discordPrivate: DiscordScene = {
  name: 'discord-private',
  shows: {
    en: ['only Ada sees this', 'Share here', 'Shared by Ada'],
    'zh-CN': ['仅小雅可见', '分享到这里', '由 小雅 分享'],
  },
  async play(place) {
    const { ada, ben, channel, words } = place;
    await place.answers({
      en: 'Dear Olga, thank you for the roof, the chairs and the patience. We’ll be quiet by eleven.',
      'zh-CN': '亲爱的欧阳：谢谢你的天台、椅子和耐心。我们十一点前一定安静。',
    });
    const prompt = place.in({
      en: 'Draft a thank-you note to Olga for the roof',
      'zh-CN': '替我起草一张感谢欧阳借天台的便条',
    });
    ada.types(channel, { name: 'ask', options: { prompt, private: true } });
    const answer = await place.withButton(words.sharing.share);
    const asked = {
      en: 'Ada asks with private:true. Ben sees nothing of it.',
      'zh-CN': '小雅用 private:true 提问，阿本什么都看不到。',
    };
    const before = place.look(asked);
    ada.presses(answer, words.sharing.share);
    await place.withButton(words.sharing.shared);
    const shared = await place.message('what is shared', ({ onlyFor }) => onlyFor === undefined);
    const pressed = {
      en: 'She presses “Share here”: now Ben sees it, too.',
      'zh-CN': '她点“分享到这里”，阿本就也能看到。',
    };
    const after = place.look(pressed, { as: ben, messages: [shared] });
    ada.types(channel, { name: 'me', options: { private: 'on', image_size: '3k' } });
    const page = await place.message('the defaults', ({ content }) => content.includes('3k'));
    const own = { en: 'With /me she makes that her default.', 'zh-CN': '她用 /我的 把它设为默认。' };
    return [before, after, place.look(own, { messages: [page] })];
  },
};
