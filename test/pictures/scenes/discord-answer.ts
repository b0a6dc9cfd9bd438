import { MessageFlags } from 'discord-api-types/v10';
import type { DiscordScene } from '../stage/scene.ts';

export const discordAnswer: DiscordScene = {
  name: 'discord-answer',
  shows: { en: ['Listen', 'Draw it', '👍 1'], 'zh-CN': ['画出来', '👍 1'] },
  async play(place) {
    const { ada, ben, owner, channel, discord, words } = place;
    await place.answers({
      en: 'A lighthouse by the sea at dusk, and a cat who keeps the lamp lit.',
      'zh-CN': '黄昏海边的灯塔，一只猫守着灯火。',
    });
    const prompt = place.in({ en: 'A film in one sentence', 'zh-CN': '用一句话写一部电影' });
    ada.types(channel, { name: 'ask', options: { prompt } });
    const answer = await place.finished();
    ben.presses(answer, words.listen);
    await place.message('the clip', ({ flags }) => (flags & MessageFlags.IsVoiceMessage) !== 0);
    const vote = ben.presses(answer, '👍');
    await discord.until('the vote', () => vote.acknowledgement);
    const heard = {
      en: 'Ben has Ada’s answer read aloud, and likes it.',
      'zh-CN': '阿本听了小雅的回答，还点了赞。',
    };
    const all = place.look(heard, { as: ben });
    const draw = { en: 'He has it drawn, too.', 'zh-CN': '他还想把它画出来。' };
    const form = await place.form(draw, ben.presses(answer, words.drawIt));
    owner.types(channel, { name: 'usage', options: { by: 'feedback' } });
    const usage = await place.message('the feedback', ({ content }) => content.includes('👍 1'));
    return [
      all,
      form,
      place.look(
        { en: 'What people thought of answers.', 'zh-CN': '大家对回答的评价。' },
        { as: owner, messages: [usage] },
      ),
    ];
  },
};
