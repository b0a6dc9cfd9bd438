import { isLocal } from '../../lib/local-faults.ts';
import { type Locale, type PaidCommandName, paidCommandNames } from '../../port/index.ts';
import { explainUnbegun, words } from '../../words/index.ts';
import { chinesePermissions, permissionsInChinese } from '../../words/zh-cn.ts';
import type { PermissionName } from './servers/server.ts';

const en = {
  /** Between who asks and what, in the line above an answer. */
  yes: 'Yes',
  no: 'No',
  /** Instead of names that Discord doesn't send. */
  someone: 'someone',
  someRole: 'a role',
  someChannel: 'a channel',
  /** Under a message for the bot whose content Discord withheld. */
  cannotRead: (me: string) =>
    `-# Discord only shows me messages that mention me. Put ${me} in your message and I’ll answer.`,
  /** Under a mention of the bot's role. */
  roleMentioned: (me: string) =>
    `-# That’s my role, and Discord doesn’t show me messages for it. Mention me instead: ${me}`,
  /** Above or instead of an answer. */
  forwardHidden: '-# Discord doesn’t show me what you forwarded. Copy the text and I’ll read it.',
  /** The same for a message that's replied to. */
  repliedHidden: '-# I can’t see the message you replied to. Copy its text and I’ll read it.',
  /** Above what a command by words makes, if it replies to a message that may have pictures. */
  repliedFilesHidden:
    '-# I can’t see the message you replied to. Attach its pictures to your own message and I’ll use them.',
  /** In a direct message, after a mention in a channel where the bot can't write. */
  permissionMissing: (channel: string, permissions: string) =>
    `I can’t answer in ${channel} because I need this permission there: ${permissions}. An administrator can grant it.`,
  /** In a direct message, after a mention in a locked thread. */
  threadLocked: 'I can’t answer in that thread because it’s locked. Unlock it or ask me somewhere else.',
  /** In a direct message, after a mention in a server where the bot is timed out. */
  timedOut: 'I can’t answer there because I’m timed out in that server. A moderator can remove my timeout.',
  /** After a command that makes files, in a server where the bot is timed out; nothing is spent. */
  filesTimedOut:
    'I can’t post files here because I’m timed out in this server. A moderator can remove my timeout; nothing was spent.',
  /** With the file of a long answer. */
  wholeAsFile: '-# The whole answer is in this file.',
  /** While the database is away, or doesn't answer in time; nothing is spent. */
  noDatabase: 'I can’t do that right now. Please try again in a minute; nothing was spent.',
  /** In a server that is not in `ALLOWED_GUILDS`. */
  notAllowed: 'I only work in certain servers. The person who runs this bot decides which.',
  /** The same, if Discord can't say who runs the bot. */
  notKnown: 'I couldn’t check with Discord whether you run this bot. Please try again in a minute.',
  leaving:
    'I only work in certain servers, and this isn’t one of them, so I’m leaving. The person who runs this bot decides which.',
  /** In a server that the bot was invited to; `me` is its name or a mention. */
  welcome: {
    hello: (me: string) =>
      `👋 Hi, I’m ${me}, an AI assistant. I answer questions, speak, draw and make videos: ${commandList(', ', ' and ')}.`,
    start:
      'Mention me to ask something, or use `/help` to see everything I can do. Administrators choose models, budgets and who can use what with `/settings`.',
    nothingMissing: '✅ I have all the permissions I need.',
    missing: '⚠️ I’m missing some permissions in this server:',
    line: (command: PaidCommandName, permissions: string) => `- \`/${command}\`: ${permissions}`,
    grant: 'An administrator can grant them in Server Settings → Roles.',
    between: ', ',
    permissions: {
      'View Channels': 'View Channels',
      'Send Messages': 'Send Messages',
      'Send Messages in Threads': 'Send Messages in Threads',
      'Create Public Threads': 'Create Public Threads',
      'Attach Files': 'Attach Files',
      'Send Voice Messages': 'Send Voice Messages',
      'Read Message History': 'Read Message History',
      'Embed Links': 'Embed Links',
      Connect: 'Connect (for the chats of voice channels)',
    } satisfies Record<PermissionName, string> as Record<PermissionName, string>,
  },
  /** Under an answer that ran out of its 15 minutes. */
  outOfTime: '*I’m not a member here, so Discord gives me only 15 minutes to answer, and they’re up.*',
  /** The same under an answer that only the requester sees; more of it is to come. */
  hiddenOutOfTime:
    '*Discord lets me write here for only 15 minutes. I’ll send you the whole answer as a direct message.*',
  /** After a mention whose answer only its author may see; nothing is spent. */
  directClosed:
    'Only you should see this, but I can’t send you direct messages. Allow them, or use the slash command. Nothing was spent.',
  /** In a direct message, above something that only the requester may see. */
  fromHidden: '-# Only you can see this.',
  /** In a direct message, above a result that couldn't be posted in the channel. */
  fromElsewhere: 'I couldn’t post this where you asked for it, so I’m sending it here.',
};

/** Texts that only Discord needs. */
type DiscordWords = typeof en;

const zhCn: DiscordWords = {
  yes: '是',
  no: '否',
  someone: '某人',
  someRole: '某个身份组',
  someChannel: '某个频道',
  cannotRead: (me) => `-# Discord 只让我看到提及我的消息。请在消息里加上 ${me}，我就会回答。`,
  roleMentioned: (me) => `-# 这是我的身份组，Discord 不会让我看到提及它的消息。请改为提及我：${me}`,
  forwardHidden: '-# Discord 不让我看到你转发的内容。请把文字复制过来。',
  repliedHidden: '-# 我看不到你回复的那条消息。请把文字复制过来。',
  repliedFilesHidden: '-# 我看不到你回复的那条消息。请把其中的图片附在你自己的消息里。',
  permissionMissing: (channel, permissions) =>
    `我没法在 ${channel} 里回答，因为我在那里缺少权限：${permissionsInChinese(permissions)}。管理员可以授予。`,
  threadLocked: '那个子区已锁定，我没法在里面回答。请解锁，或换个地方问我。',
  timedOut: '我在那个服务器里被禁言了，没法在那里回答。管理员可以解除我的禁言。',
  filesTimedOut: '我在这个服务器里被禁言了，没法在这里发文件。管理员可以解除我的禁言；没有扣除积分。',
  noDatabase: '我现在没法处理，请一分钟后再试；没有扣除积分。',
  notAllowed: '我只在指定的服务器里工作，由这个机器人的维护者决定。',
  notKnown: '暂时无法向 Discord 确认你是不是这个机器人的维护者，请过一分钟再试。',
  leaving: '我只在指定的服务器里工作，这里不在其中，所以我先离开了。名单由这个机器人的维护者决定。',
  welcome: {
    hello: (me) =>
      `👋 大家好，我是 AI 助手 ${me}。我能回答问题、朗读、画图、做视频：${commandList('、', '、')}。`,
    start:
      '提及我就可以提问；`/help` 会列出我能做的一切。管理员可以用 `/settings` 设置模型、预算，以及谁能用哪些命令。',
    nothingMissing: '✅ 需要的权限都有了。',
    missing: '⚠️ 我在这个服务器里还缺少一些权限：',
    line: (command, permissions) => `- \`/${command}\`：${permissions}`,
    grant: '管理员可以在“服务器设置 → 身份组”里授予。',
    between: '、',
    permissions: chinesePermissions,
  },
  wholeAsFile: '-# 完整的回答在这个文件里。',
  outOfTime: '*我不是这里的成员，Discord 只让我写 15 分钟。时间到了，已写的内容保留。*',
  hiddenOutOfTime: '*Discord 只让我在这里写 15 分钟。完整的回答会以私信发给你。*',
  directClosed: '这只该让你看到，但我没法给你发私信。请允许私信，或使用斜杠命令。没有扣除积分。',
  fromHidden: '-# 仅你可见。',
  fromElsewhere: '无法发到你提问的地方，所以发到这里。',
};

/** The talents as commands, in a sentence. */
function commandList(between: string, last: string): string {
  const names = paidCommandNames.map((name) => `\`/${name}\``);
  return `${names.slice(0, -1).join(between)}${last}${names.at(-1)}`;
}

const languages: Record<Locale, DiscordWords> = { en, 'zh-CN': zhCn };

/** The Discord texts in a language. */
export function discordWords(locale: Locale): DiscordWords {
  return languages[locale];
}

/** What a person is told of an error that kept their request from being begun; without one the database took too long. */
export function whyNotBegun(error: unknown, locale: Locale): string {
  if (error === undefined || isLocal(error)) return discordWords(locale).noDatabase;
  return explainUnbegun(error, words(locale));
}
