import type { Locale, PlatformErrorKind } from '../port/index.ts';

const en = {
  /** What a form says about the message it was opened from. */
  messageOf: (author: string, text: string) => (text === '' ? `${author}’s message` : `${author}: ${text}`),
  imagesGoAlong: (count: number) =>
    count === 1 ? 'Its image goes along as a reference.' : `Its ${count} images go along as references.`,
  onlyBeginning: 'It’s too long for one clip, so only the beginning is read.',
  wholeIsUsed: 'Only the beginning fits here. Leave it unchanged and all of it is used.',
  nothingToRead: 'There’s no text to read in this message. Nothing was spent.',
  draftExpired: 'This form has expired. Open it again; nothing was spent.',
  /** In the header of an answer: whose message it’s about. */
  aboutMessage: (author: string) => `about ${author}’s message`,
  codeLeftOut: '(Code left out.)',
  listen: 'Listen',
  drawIt: 'Draw it',
  answerRead: 'The answer, read aloud.',
  answerReadInPart: 'The beginning of the answer, read aloud: all of it is too long for one clip.',
  lastPartRead: 'What this message shows of the answer, read aloud: I don’t have the rest any more.',
  alreadyRead:
    'You asked for this a moment ago. The clip is on its way, or already here; nothing more was spent.',
  answerGone: 'I don’t have this answer any more. Nothing was spent.',
  feedback: {
    good: 'Good answer',
    bad: 'Bad answer',
    thanks: 'Thanks for the feedback. If this answer breaks the rules here, you can report it.',
    titles: {
      today: 'Feedback on answers, today',
      week: 'Feedback on answers, this week',
      month: 'Feedback on answers, this month',
    },
    nothing: { own: 'You haven’t rated an answer yet.', all: 'Nobody has rated an answer.' },
    line: (index: number, name: string, good: number, bad: number) =>
      `${index}. ${name}: 👍 ${good} · 👎 ${bad}`,
    total: (good: number, bad: number) => `Together: 👍 ${good} · 👎 ${bad}`,
  },
};

type MessageWords = typeof en;

const zhCn: MessageWords = {
  messageOf: (author, text) => (text === '' ? `${author} 的消息` : `${author}：${text}`),
  imagesGoAlong: (count) =>
    count === 1 ? '消息里的图片会作为参考。' : `消息里的 ${count} 张图片会作为参考。`,
  onlyBeginning: '内容太长，一段语音读不完，只会读开头部分。',
  wholeIsUsed: '这里只放得下开头。不修改的话，会使用全文。',
  nothingToRead: '这条消息里没有可读的文字。没有扣除积分。',
  draftExpired: '这个表单已过期。请重新打开；没有扣除积分。',
  aboutMessage: (author) => `关于 ${author} 的消息`,
  codeLeftOut: '（代码略。）',
  listen: '朗读',
  drawIt: '画出来',
  answerRead: '回答的语音版。',
  answerReadInPart: '回答开头的语音版：全文太长，一段语音读不完。',
  lastPartRead: '这条消息中回答的语音版：其余部分已不再保存。',
  alreadyRead: '你刚刚点过，语音马上就到，或者已经发出；没有另外扣除积分。',
  answerGone: '这个回答已不再保存。没有扣除积分。',
  feedback: {
    good: '回答得好',
    bad: '回答得不好',
    thanks: '谢谢反馈。如果这条回答违反了这里的规则，可以举报。',
    titles: { today: '今日的回答评价', week: '本周的回答评价', month: '本月的回答评价' },
    nothing: { own: '你还没有评价过回答。', all: '还没有人评价过回答。' },
    line: (index, name, good, bad) => `${index}. ${name}：👍 ${good} · 👎 ${bad}`,
    total: (good, bad) => `合计：👍 ${good} · 👎 ${bad}`,
  },
};

/** What is said about commands that begin from a message, by language. */
export const messageWords: Readonly<Record<Locale, MessageWords>> = { en, 'zh-CN': zhCn };

/** Why something can't be posted in its place: what the platform refused it for, or that the bot isn't there any more. */
type Reason = PlatformErrorKind | 'left';

/** Each as a clause; those that mean nothing to people are left out. */
const reasons: Readonly<Record<Locale, Partial<Record<Reason, string>>>> = {
  en: {
    refused: 'it wasn’t accepted',
    moderated: 'it was blocked by AutoMod',
    'no-permission': 'I’m not allowed to',
    'file-not-allowed': 'files like this aren’t allowed',
    'too-large': 'the file is too large',
    gone: 'the channel is archived or no longer there',
    deleted: 'it was deleted there',
    left: 'I was removed from the workspace',
    'not-a-member': 'I’m not in the channel',
  },
  'zh-CN': {
    refused: '内容没有被接受',
    moderated: '内容被 AutoMod 拦截了',
    'no-permission': '我没有权限',
    'file-not-allowed': '不允许发送这类文件',
    'too-large': '文件太大',
    gone: '频道已归档或不存在',
    deleted: '那里的消息已被删除',
    left: '我已被移出工作区',
    'not-a-member': '我不在频道里',
  },
};

/** A clause with the reason; empty where there's none that means something to people. */
function because(locale: Locale, why: Reason | undefined): string {
  const reason = why && reasons[locale][why];
  if (reason === undefined) return '';
  return locale === 'en' ? ` because ${reason}` : `${reason}，`;
}

const directEn = {
  /** In the channel, to the person who asked. */
  postedDirectly: (why?: PlatformErrorKind) =>
    `I couldn’t post this here${because('en', why)}, so I sent it to our direct messages.`,
  /** Above the result, in the direct messages. */
  sentDirectly: (why?: Reason) =>
    `I couldn’t post this where you asked for it${because('en', why)}, so I’m sending it here.`,
};

const directZhCn: typeof directEn = {
  postedDirectly: (why) => `${because('zh-CN', why)}无法发到这里，已发到我们的私信里。`,
  sentDirectly: (why) => `${because('zh-CN', why)}无法发到你提问的地方，所以发到这里。`,
};

/** Texts for a result that is sent as a direct message because the channel refused it, by language; `why` is the refusal. */
export const directWords: Readonly<Record<Locale, typeof directEn>> = { en: directEn, 'zh-CN': directZhCn };
