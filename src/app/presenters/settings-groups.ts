import { type SettingName, usersSettingOf } from '../../place-settings/index.ts';
import { type Localized, paidCommandNames } from '../../port/index.ts';

/** Settings that are read and changed together, below a title of their own. */
export interface SettingsGroup {
  readonly title: Localized;
  readonly description: Localized;
  /** At most five, the most inputs of a form on the strictest platform. */
  readonly fields: readonly SettingName[];
}

/** Every setting is in one of these. */
export const groups = {
  answers: {
    title: { en: 'Answers', 'zh-CN': '回答' },
    description: { en: 'The model, who I am here, and the buttons', 'zh-CN': '模型、人设和按钮' },
    fields: ['model', 'persona', 'buttons'],
  },
  conversation: {
    title: { en: 'Conversations', 'zh-CN': '对话' },
    description: {
      en: 'Who shares a conversation, and how many are answered at once',
      'zh-CN': '谁共用一个对话，同时回答多少人',
    },
    fields: ['conversation', 'mention_only', 'at_once'],
  },
  media: {
    title: { en: 'Voice and image', 'zh-CN': '声音和图片' },
    description: { en: 'Defaults for /speak and /imagine', 'zh-CN': '/speak 和 /imagine 的默认值' },
    fields: ['voice', 'language', 'image_size'],
  },
  video: {
    title: { en: 'Video', 'zh-CN': '视频' },
    description: { en: 'Defaults for /video', 'zh-CN': '/video 的默认值' },
    fields: ['video_duration', 'video_resolution', 'video_quality', 'video_ratio', 'video_audio'],
  },
  budgets: {
    title: { en: 'Budgets', 'zh-CN': '预算' },
    description: { en: 'What can be spent in a day', 'zh-CN': '每天可以用多少积分' },
    fields: ['user_credits', 'channel_credits', 'workspace_credits', 'exempt_administrators', 'time_zone'],
  },
  limits: {
    title: { en: 'Limits', 'zh-CN': '限制' },
    description: { en: 'What I ask about first', 'zh-CN': '什么要先确认' },
    fields: ['confirm_over'],
  },
  people: {
    title: { en: 'Who can use what', 'zh-CN': '谁可以用什么' },
    description: { en: 'Who can use /ask, /speak, /imagine and /video', 'zh-CN': '谁可以用四个命令' },
    fields: paidCommandNames.map(usersSettingOf),
  },
  commands: {
    title: { en: 'Commands', 'zh-CN': '命令' },
    description: { en: 'Which commands are on', 'zh-CN': '哪些命令开启' },
    fields: ['off'],
  },
} as const satisfies Record<string, SettingsGroup>;
export type GroupName = keyof typeof groups;
/** All groups, in the order in which they’re shown. */
export const groupNames = Object.keys(groups) as GroupName[];

/** All settings together, one group alone, or who changed what. */
export type Page = 'overview' | GroupName | 'history';
/** What `/settings` can show; on Discord a sub-command each. */
export const pages: Readonly<Record<Page, SettingsGroup>> = {
  overview: {
    title: { en: 'Overview', 'zh-CN': '总览' },
    description: { en: 'All settings, and where each comes from', 'zh-CN': '全部设置和各自的来源' },
    fields: [],
  },
  ...groups,
  history: {
    title: { en: 'History', 'zh-CN': '更改记录' },
    description: { en: 'Who changed what, and when', 'zh-CN': '谁在什么时候改了什么' },
    fields: [],
  },
};
/** The page that shows settings that were chosen with `page`: that one if it has them, or else theirs. */
export function pageWith(names: readonly SettingName[], page: Page): Page {
  const has = (candidate: Page) => names.every((name) => pages[candidate].fields.includes(name));
  if (page === 'overview' || has(page)) return page;
  return groupNames.find(has) ?? 'overview';
}

/** All pages, in the order in which they’re offered. */
export const pageNames = Object.keys(pages) as Page[];
