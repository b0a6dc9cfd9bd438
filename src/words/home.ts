import type { Locale } from '../port/index.ts';

const en = {
  talents: 'What I can do',
  machine: 'I’m an AI assistant, not a person, and I can be wrong.',
  talk: 'Mention me in a channel, write to me under *Messages*, or type a command:',
  guests: 'Guests can use these where an administrator allows it.',
  help: 'All commands',
  renders: 'In progress',
  noRenders: 'None of your images and videos are being made right now.',
  command: (name: string, description: string) => `- \`/${name}\`: ${description}`,
  render: (kind: 'image' | 'video', about: string, since: string) =>
    `- ${kind === 'image' ? 'Image' : 'Video'}: ${about}, for ${since}`,
  usage: 'Your credits',
  used: (today: string, week: string) => `Today: **${today}**\nThis week: **${week}**`,
  show: 'Show',
  cancel: (about: string) => `Cancel “${about}”`,
  details: 'Details',
  mine: 'Your defaults',
  mineAbout: 'Your own model, voice, language and image size, wherever you use me.',
  change: 'Change',
  administration: 'For administrators',
  administrationAbout: 'Models, persona, voices, budgets, and who can use which command in this workspace.',
  settings: 'Workspace settings',
};

type HomeWords = typeof en;

const zhCn: HomeWords = {
  talents: '我能做什么',
  machine: '我是 AI 助手，不是真人，可能会出错。',
  talk: '在频道里提及我，在“消息”里直接写给我，或输入命令：',
  guests: '管理员允许的地方，访客可以使用这些命令。',
  help: '全部命令',
  renders: '正在制作',
  noRenders: '现在没有正在为你制作的图片或视频。',
  command: (name, description) => `- \`/${name}\`：${description}`,
  render: (kind, about, since) => `- ${kind === 'image' ? '图片' : '视频'}：${about}，已用 ${since}`,
  usage: '你的积分',
  used: (today, week) => `今天：**${today}**\n本周：**${week}**`,
  show: '查看',
  cancel: (about) => `取消“${about}”`,
  details: '详情',
  mine: '你的默认设置',
  mineAbout: '你自己的模型、音色、语言和图片尺寸，在哪里使用我都有效。',
  change: '修改',
  administration: '管理员',
  administrationAbout: '这个工作区的模型、人设、音色、预算，以及谁能用哪些命令。',
  settings: '工作区设置',
};

/** Texts of a person’s own page, by language. */
export const homeWords: Readonly<Record<Locale, HomeWords>> = { en, 'zh-CN': zhCn };
