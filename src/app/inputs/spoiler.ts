/** The option that hides a result until a person wants to see it. */
export const spoiler = {
  type: 'boolean',
  description: {
    en: 'Hidden until somebody clicks it; on Slack, in a thread',
    'zh-CN': '点击后才显示；在 Slack 上放在消息列里',
  },
} as const;
