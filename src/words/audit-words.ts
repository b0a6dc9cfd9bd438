import type { Locale } from '../port/index.ts';

/** How a command ended; `cut`: the service ended the answer. */
export type AuditedOutcome = 'done' | 'failed' | 'canceled' | 'stopped' | 'withheld' | 'cut';

const signs: Readonly<Record<AuditedOutcome, string>> = {
  done: '✅',
  failed: '❌',
  canceled: '⏹️',
  stopped: '⏹️',
  withheld: '🚫',
  cut: '⚠️',
};

/** What a line of an audit channel says of a command. */
interface AuditedCommand {
  readonly how: AuditedOutcome;
  readonly who: string;
  readonly what: string;
  readonly where: string;
  readonly cost: string;
  readonly isPrivate: boolean;
  readonly link?: string;
}

/** What it says of a report. */
interface AuditedReport {
  readonly by?: string;
  readonly whose?: string;
  readonly what?: string;
  readonly where?: string;
  readonly link?: string;
  readonly isPrivate: boolean;
  readonly reason?: string;
}

const en = {
  begun:
    '**This is my audit channel now.** I post here who used which command, where, what it cost, and a link to the result, but never what they wrote. Reports come here, too. Administrators can change that in `/settings`.',
  notHere: 'I can’t find that channel here. If it’s private, add me to it first. Nothing was changed.',
  isExternal:
    'People of other organizations are in that channel. Choose one where only yours are. Nothing was changed.',
  cannotPost:
    'I can’t post in that channel. Let me send messages there, or choose another one. Nothing was changed.',
  refused:
    '⚠️ I can’t post in the audit channel any more. Let me send messages there, or choose another one in `/settings`.',
  becameExternal:
    '⚠️ People of other organizations are in the audit channel now, so I don’t post there any more. Choose another one in `/settings`.',
  command: ({ how, who, what, where, cost, isPrivate, link }: AuditedCommand) =>
    [
      `${signs[how]} ${who}`,
      what,
      where,
      ...(how === 'done' ? [] : [en.outcomes[how]]),
      `${cost} credits`,
      ...(isPrivate ? ['private'] : []),
      ...(link === undefined ? [] : [`[open](${link})`]),
    ].join(' · '),
  blocked: (who: string, what: string, where: string) =>
    `🚫 ${who} · ${what} · ${where} · blocked by moderation`,
  settings: (who: string | undefined, names: string, where: string | undefined) =>
    `⚙️ ${who ?? 'The people who run me'} changed ${names}${where === undefined ? '' : ` in ${where}`}`,
  report: ({ by, whose, what, where, link, isPrivate, reason }: AuditedReport) =>
    [
      `🚩 ${by ?? 'Somebody'} reported ${link === undefined ? 'something I made' : `[something I made](${link})`}`,
      ...(whose === undefined ? [] : [`for ${whose}`]),
      ...(what === undefined ? [] : [what]),
      ...(where === undefined ? [] : [where]),
      ...(isPrivate ? ['private'] : []),
      ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ].join(' · '),
  outcomes: {
    done: '',
    failed: 'failed',
    canceled: 'canceled',
    stopped: 'stopped',
    withheld: 'withheld by moderation',
    cut: 'ended by the service',
  } as Readonly<Record<AuditedOutcome, string>>,
};

type AuditWords = typeof en;

const zhCn: AuditWords = {
  begun:
    '**这里现在是我的审计频道。** 我会在这里写下谁用了哪个命令、在哪里、花了多少积分，并附上结果的链接，但不会写他们输入的内容。举报也会发到这里。管理员可以在 `/settings` 里更改。',
  notHere: '这里找不到那个频道。如果是私密频道，请先把我加进去。没有任何更改。',
  isExternal: '那个频道里有其他组织的人。请选一个只有你们自己人的频道。没有任何更改。',
  cannotPost: '我不能在那个频道发消息。请允许我在那里发言，或换一个频道。没有任何更改。',
  refused: '⚠️ 我不能再往审计频道发消息了。请允许我在那里发言，或在 `/settings` 里换一个频道。',
  becameExternal: '⚠️ 审计频道里现在有其他组织的人，所以我不再在那里发消息。请在 `/settings` 里换一个频道。',
  command: ({ how, who, what, where, cost, isPrivate, link }) =>
    [
      `${signs[how]} ${who}`,
      what,
      where,
      ...(how === 'done' ? [] : [zhCn.outcomes[how]]),
      `${cost} 积分`,
      ...(isPrivate ? ['仅自己可见'] : []),
      ...(link === undefined ? [] : [`[打开](${link})`]),
    ].join(' · '),
  blocked: (who, what, where) => `🚫 ${who} · ${what} · ${where} · 被内容管理拦下`,
  settings: (who, names, where) =>
    `⚙️ ${who ?? '运行我的人'} 更改了 ${names}${where === undefined ? '' : `（${where}）`}`,
  report: ({ by, whose, what, where, link, isPrivate, reason }) =>
    [
      `🚩 ${by ?? '有人'} 举报了${link === undefined ? '我生成的内容' : `[我生成的内容](${link})`}`,
      ...(whose === undefined ? [] : [`请求者 ${whose}`]),
      ...(what === undefined ? [] : [what]),
      ...(where === undefined ? [] : [where]),
      ...(isPrivate ? ['仅自己可见'] : []),
      ...(reason === undefined ? [] : [`理由：${reason}`]),
    ].join(' · '),
  outcomes: {
    done: '',
    failed: '失败',
    canceled: '已取消',
    stopped: '已停止',
    withheld: '被内容管理拦下',
    cut: '被服务中止',
  },
};

/** What is said in audit channels, and of them, by language. */
export const auditWords: Readonly<Record<Locale, AuditWords>> = { en, 'zh-CN': zhCn };
