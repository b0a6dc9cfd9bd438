import type { Locale } from '../port/index.ts';

const en = {
  yes: 'Yes',
  no: 'No',
  /** In a thread of the bot's, under a message that Discord did not let it read. */
  cannotRead:
    '-# Discord shows me only messages that mention me or reply to me. Mention me here and I go on with the conversation.',
  /** Under an answer that could not be gone on with in time. */
  outOfTime:
    '*I am not a member here, so Discord lets me write for 15 minutes only. They are over; what was written stays.*',
  /** In a direct message, above what could not be posted where it was asked for. */
  fromElsewhere:
    'Discord no longer lets me post this where you asked for it, because I am not a member there. So it comes here.',
};

/** What troupe says on Discord alone. */
export type DiscordWords = typeof en;

const zhCn: DiscordWords = {
  yes: '是',
  no: '否',
  cannotRead: '-# Discord 只让我看到提及我或回复我的消息。在这里提及我，我就接着聊。',
  outOfTime: '*我不是这里的成员，Discord 只让我写 15 分钟。时间到了，已写的内容保留。*',
  fromElsewhere: '我不是那里的成员，Discord 不再让我发到你提问的地方，所以发到这里。',
};

const languages: Record<Locale, DiscordWords> = { en, 'zh-CN': zhCn };

/** What troupe says on Discord alone, in a language. */
export function discordWords(locale: Locale): DiscordWords {
  return languages[locale];
}
