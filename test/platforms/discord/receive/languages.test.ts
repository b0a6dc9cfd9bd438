import { Locale } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage } from '../support/stage.ts';

const commands = [
  {
    ...streamingAsk,
    run: async ({ requester, reply }: Parameters<typeof streamingAsk.run>[0]) =>
      void (await reply.say({ text: `in ${requester.locale}` })),
  },
];
const answerTo = async (stage: Stage, person: 'ada' | 'bob', text: string) => {
  const asked = stage[person].mentions(stage.channel, `${text}`);
  const { content } = await stage.discord.until('the answer', () =>
    stage.discord.messagesIn(stage.channel).find(({ replyTo }) => replyTo === asked.id),
  );
  return content;
};

describe('the language of a message on Discord', () => {
  it.each([
    ['draw という単語の意味を説明して', 'en', Locale.EnglishUS],
    ['what does the character 猫 mean?', 'en', Locale.EnglishUS],
    ['猫是什么意思？', 'zh-CN', Locale.EnglishUS],
    ['東京都庁所在地？', 'en', Locale.Japanese],
  ])('is seen by its script: %s is %s where the server’s is %s', async (text, locale, server) => {
    const stage = await startStage({ commands: commands as never, locale: server });
    expect(await answerTo(stage, 'ada', text)).toBe(`in ${locale}`);
  });

  it('is that of the person’s last interaction, after a restart too', async () => {
    const stage = await startStage({ commands: commands as never, locale: Locale.ChineseCN });
    expect(await answerTo(stage, 'ada', 'hello')).toBe('in zh-CN');
    stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'hello' } });
    await stage.discord.until('the answer', () =>
      stage.discord.messagesIn(stage.channel).find(({ content }) => content.endsWith('in en')),
    );
    expect(await answerTo(stage, 'ada', '你好，这是什么？')).toBe('in en');
    await stage.restart();
    expect(await answerTo(stage, 'ada', '你好，这是什么？')).toBe('in en');
    expect(await answerTo(stage, 'bob', '你好，这是什么？')).toBe('in zh-CN');
  });
});
