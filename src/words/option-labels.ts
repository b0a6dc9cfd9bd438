import { type Locale, type Localized, paidCommandNames } from '../port/index.ts';

/** Labels of options in forms; numbered options such as `image_2` share the label of `image`. */
const labels: Readonly<Record<string, Localized>> = {
  prompt: { en: 'Prompt', 'zh-CN': '提示词' },
  model: { en: 'Model', 'zh-CN': '模型' },
  text: { en: 'Text', 'zh-CN': '文字' },
  voice: { en: 'Voice', 'zh-CN': '音色' },
  language: { en: 'Language', 'zh-CN': '语言' },
  format: { en: 'Format', 'zh-CN': '格式' },
  speed: { en: 'Speed', 'zh-CN': '语速' },
  size: { en: 'Size', 'zh-CN': '尺寸' },
  reference: { en: 'Reference images', 'zh-CN': '参考图片' },
  count: { en: 'How many', 'zh-CN': '数量' },
  spoiler: { en: 'Spoiler', 'zh-CN': '剧透遮罩' },
  reference_urls: { en: 'Links to reference images', 'zh-CN': '参考图片的链接' },
  duration: { en: 'Length in seconds', 'zh-CN': '时长（秒）' },
  resolution: { en: 'Resolution', 'zh-CN': '分辨率' },
  quality: { en: 'Quality', 'zh-CN': '质量' },
  ratio: { en: 'Aspect ratio', 'zh-CN': '宽高比' },
  generate_audio: { en: 'Sound', 'zh-CN': '声音' },
  operation: { en: 'What to do', 'zh-CN': '操作' },
  private: { en: 'Only visible to you', 'zh-CN': '仅自己可见' },
  seed: { en: 'Seed', 'zh-CN': '随机种子' },
  image: { en: 'Images', 'zh-CN': '图片' },
  video: { en: 'Videos', 'zh-CN': '视频' },
  image_urls: { en: 'Links to images', 'zh-CN': '图片链接' },
  video_urls: { en: 'Links to videos', 'zh-CN': '视频链接' },
  period: { en: 'Period', 'zh-CN': '时间段' },
  by: { en: 'Group by', 'zh-CN': '分组方式' },
  command: { en: 'Command', 'zh-CN': '命令' },
  scope: { en: 'Applies to', 'zh-CN': '适用范围' },
  page: { en: 'Page', 'zh-CN': '页面' },
  persona: { en: 'Persona', 'zh-CN': '人设' },
  as: { en: 'Answers as', 'zh-CN': '以角色回答' },
  name: { en: 'Name', 'zh-CN': '名字' },
  buttons: { en: 'Buttons', 'zh-CN': '按钮' },
  machine_note: { en: 'Made with AI', 'zh-CN': 'AI 生成标注' },
  thread: { en: 'In a thread', 'zh-CN': '单独的消息列' },
  conversation: { en: 'Conversation', 'zh-CN': '对话' },
  mention_only: { en: 'Only mentions in threads', 'zh-CN': '消息列里仅限提及' },
  at_once: { en: 'Answers at once', 'zh-CN': '同时回答数' },
  image_size: { en: 'Image size', 'zh-CN': '图片尺寸' },
  video_duration: { en: 'Video length in seconds', 'zh-CN': '视频时长（秒）' },
  video_resolution: { en: 'Video resolution', 'zh-CN': '视频分辨率' },
  video_quality: { en: 'Video quality', 'zh-CN': '视频质量' },
  video_ratio: { en: 'Video aspect ratio', 'zh-CN': '视频宽高比' },
  video_audio: { en: 'Video sound', 'zh-CN': '视频声音' },
  user_credits: { en: 'Daily credits per person', 'zh-CN': '每人每日积分' },
  channel_credits: { en: 'Daily credits per channel', 'zh-CN': '每频道每日积分' },
  workspace_credits: { en: 'Daily credits for the workspace', 'zh-CN': '工作区每日积分' },
  confirm_over: { en: 'Ask before spending more than', 'zh-CN': '超过多少积分先询问' },
  exempt_administrators: { en: 'Administrators ignore budgets', 'zh-CN': '管理员不受预算限制' },
  role_credits: { en: 'Daily credits by role or group', 'zh-CN': '按身份组或用户组的每日积分' },
  over_budget: { en: 'When a budget is used up', 'zh-CN': '预算用完后' },
  cooldown: { en: 'Seconds between uses', 'zh-CN': '两次使用的间隔秒数' },
  renders_at_once: { en: 'Images and videos at once', 'zh-CN': '同时进行的图片和视频数' },
  blocked_words: { en: 'Blocked words', 'zh-CN': '屏蔽词' },
  answer_bots: { en: 'Answers to other bots', 'zh-CN': '回答其他机器人' },
  keep_prompts: { en: 'Days prompts are kept', 'zh-CN': '提示词保存天数' },
  audit_channel: { en: 'Audit channel', 'zh-CN': '审计频道' },
  reason: { en: 'Reason', 'zh-CN': '理由' },
  anonymous: { en: 'Without your name', 'zh-CN': '不显示你的名字' },
  connect: { en: 'Shared with other organizations', 'zh-CN': '与其他组织共享的频道' },
  outsiders: { en: 'Guests and other organizations', 'zh-CN': '访客和其他组织' },
  outsider_credits: { en: 'Daily credits per guest', 'zh-CN': '每位访客每日积分' },
  blocked: { en: 'Who can’t use me', 'zh-CN': '不能使用我的人' },
  time_zone: { en: 'Time zone', 'zh-CN': '时区' },
  off: { en: 'Commands turned off', 'zh-CN': '关闭的命令' },
  ...Object.fromEntries(
    paidCommandNames.map((name) => [
      `users_${name}`,
      { en: `Who can use /${name}`, 'zh-CN': `谁可以用 /${name}` },
    ]),
  ),
};

/** The label of an option in a form; its name if it has no label. */
export function optionLabel(name: string, locale: Locale): string {
  return (labels[name] ?? labels[name.replace(/_\d+$/, '')])?.[locale] ?? name;
}

/** Choices that are words rather than names or figures, in Chinese; people type them as they are. */
const chineseChoices: Readonly<Record<string, string>> = {
  channel: '频道',
  workspace: '工作区',
  thread: '消息列',
  person: '每人',
  user: '用户',
  kind: '类型',
  inherit: '继承',
  on: '开启',
  off: '关闭',
  media: '语音、图片和视频',
  everything: '全部',
  stop: '停止',
  cheaper: '改用更便宜的模型',
  all: '全部',
  few: '常用',
  none: '仅删除',
  today: '今天',
  week: '本周',
  month: '本月',
  balanced: '均衡',
  quality: '高质量',
  generate: '生成',
  edit: '编辑',
};

/** What an option may be (choices, or `allowed` of its pattern) in a language. */
export function allowedInWords(allowed: string, locale: Locale): string {
  if (locale !== 'zh-CN') return allowed;
  return allowed.replace('WIDTHxHEIGHT', '宽x高').replace(/, …$/, ' 等').replaceAll(', ', '、');
}

/** The label of a choice in a list. */
export function choiceLabel(choice: string, locale: Locale): string {
  return locale === 'zh-CN' && Object.hasOwn(chineseChoices, choice)
    ? (chineseChoices[choice] ?? choice)
    : choice;
}
