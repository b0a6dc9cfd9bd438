import type { Locale, PlatformErrorKind } from '../port/index.ts';

/** Why something can't be posted in its place: what the platform refused it for, or that the bot isn't there any more. */
type Reason = PlatformErrorKind | 'left';

/** Each as a clause; those that mean nothing to people are left out. */
type Reasons = Readonly<Partial<Record<Reason, string>>>;

/** Texts for a result that is sent as a direct message because the channel refused it; `why` is the refusal. */
export interface DirectWords {
  /** In the channel, to the person who asked. */
  readonly postedDirectly: (why?: PlatformErrorKind) => string;
  /** Above the result, in the direct messages. */
  readonly sentDirectly: (why?: Reason) => string;
}

const reasons: Readonly<Record<Locale, Reasons>> = {
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

const because = (locale: Locale, why: Reason | undefined) =>
  why === undefined ? undefined : reasons[locale][why];

const sentences: Readonly<Record<Locale, DirectWords>> = {
  en: {
    postedDirectly: (why) => {
      const reason = because('en', why);
      return `I couldn’t post this here${reason ? ` because ${reason}` : ''}, so I sent it to our direct messages.`;
    },
    sentDirectly: (why) => {
      const reason = because('en', why);
      return `I couldn’t post this where you asked for it${reason ? ` because ${reason}` : ''}, so I’m sending it here.`;
    },
  },
  'zh-CN': {
    postedDirectly: (why) => {
      const reason = because('zh-CN', why);
      return `${reason ? `${reason}，` : ''}无法发到这里，已发到我们的私信里。`;
    },
    sentDirectly: (why) => {
      const reason = because('zh-CN', why);
      return `${reason ? `${reason}，` : ''}无法发到你提问的地方，所以发到这里。`;
    },
  },
};

/** The texts for results sent as direct messages, in a language. */
export function directWords(locale: Locale): DirectWords {
  return sentences[locale];
}
