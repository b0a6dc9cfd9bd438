import type { Locale } from '../port/index.ts';

const en = {
  /** What a form says about the message it was opened from. */
  messageOf: (author: string, text: string) => (text === '' ? `${author}’s message` : `${author}: ${text}`),
  imagesGoAlong: (count: number) =>
    count === 1 ? 'Its image goes along as a reference.' : `Its ${count} images go along as references.`,
  onlyBeginning: 'It’s too long for one clip, so only the beginning is read.',
  wholeIsUsed: 'Only the beginning fits here. Leave it unchanged and all of it is used.',
  nothingToRead: 'There’s no text to read in this message. Nothing was spent.',
  draftExpired: 'This form has expired. Open it again from the message; nothing was spent.',
  /** In the header of an answer: whose message it’s about. */
  aboutMessage: (author: string) => `about ${author}’s message`,
  codeLeftOut: '(Code left out.)',
};

/** What is said about commands that begin from a message. */
export type MessageWords = typeof en;

const zhCn: MessageWords = {
  messageOf: (author, text) => (text === '' ? `${author} 的消息` : `${author}：${text}`),
  imagesGoAlong: (count) =>
    count === 1 ? '消息里的图片会作为参考。' : `消息里的 ${count} 张图片会作为参考。`,
  onlyBeginning: '内容太长，一段语音读不完，只会读开头部分。',
  wholeIsUsed: '这里只放得下开头。不修改的话，会使用全文。',
  nothingToRead: '这条消息里没有可读的文字。没有扣除积分。',
  draftExpired: '这个表单已过期。请从消息菜单里重新打开；没有扣除积分。',
  aboutMessage: (author) => `关于 ${author} 的消息`,
  codeLeftOut: '（代码略。）',
};

const languages: Record<Locale, MessageWords> = { en, 'zh-CN': zhCn };

export function messageWords(locale: Locale): MessageWords {
  return languages[locale];
}
