import { type Html, html } from './html.ts';

/** What a client writes itself around what the bot says. */
export const chrome = {
  en: {
    app: 'app',
    only: (name: string) => `only ${name} sees this`,
    used: (name: string, command: string) => `${name} used ${command}`,
    edited: '(edited)',
    deleted: 'this message was deleted',
    forwarded: 'forwarded',
    cancel: 'Cancel',
    submit: 'Submit',
    files: (most: number) => `choose files (up to ${most})`,
    thread: (name: string, count: number) => `thread “${name}” · ${count} messages`,
    replies: (count: number) => (count === 1 ? '1 reply' : `${count} replies`),
    roles: 'roles',
    people: 'people',
    rolesAndPeople: 'roles and people',
    channels: 'channels',
    sessions: { processing: 'working…', active: 'ready', suspended: 'waiting for you', closed: 'closed' },
  },
  'zh-CN': {
    app: '应用',
    only: (name: string) => `仅${name}可见`,
    used: (name: string, command: string) => `${name} 使用了 ${command}`,
    edited: '（已编辑）',
    deleted: '此消息已删除',
    forwarded: '已转发',
    cancel: '取消',
    submit: '提交',
    files: (most: number) => `选择文件（最多 ${most} 个）`,
    thread: (name: string, count: number) => `子区「${name}」· ${count} 条消息`,
    replies: (count: number) => `${count} 条回复`,
    roles: '身份组',
    people: '成员',
    rolesAndPeople: '身份组和成员',
    channels: '频道',
    sessions: { processing: '正在处理……', active: '就绪', suspended: '等你回复', closed: '已结束' },
  },
};

export type Chrome = (typeof chrome)['en'];

/** A message of any platform: who, what they say, and what stands above it. */
export function drawMessage(message: {
  readonly author: string;
  readonly app: string | undefined;
  readonly above?: Html | undefined;
  readonly body: Html;
  readonly only?: string | undefined;
}): Html {
  const { author, app, above, body, only } = message;
  return html`<article class="${only === undefined ? 'message' : 'message only'}">
${above && html`<div class="above">${above}</div>`}
<div class="avatar ${app === undefined ? '' : 'bot'}">${[...author][0]?.toUpperCase()}</div>
<div class="said"><header><b>${author}</b>${app !== undefined && html` <span class="badge">${app}</span>`}${
    only !== undefined && html` <span class="only-note">👁 ${only}</span>`
  }</header>${body}</div></article>`;
}

/** A box that says what it is: for what this view can't draw, so that nothing is hidden. */
export function drawUnknown(kind: string, value: unknown): Html {
  return html`<div class="unknown"><b>${kind}</b> ${JSON.stringify(value)}</div>`;
}
