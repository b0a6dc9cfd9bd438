import type { Locale } from '../../port/index.ts';

const en = {
  corrected: (example: string) => `For example: ${example}`,
  typed: (line: string) => `You typed: ${line}`,
  optionNote:
    'Options follow the text as `--name value`. Put text with `--` in it in quotation marks: `"…"`.',
  inviteMe: (bot: string) =>
    `I’m not in this channel, so I can’t post here. Invite me with \`/invite ${bot}\` and run the command again. Nothing was spent.`,
  addMe: (bot: string) =>
    `I’m not in this channel, so I can’t post here. Add me with the button, and I’ll run the command then; or invite me with \`/invite ${bot}\` and run it again. Nothing was spent.`,
  addMeHere: 'Add me here',
  joined: 'I’m in this channel now.',
  /** By Slack's error code. */
  cantJoin: (code: string, bot: string): string =>
    code === 'missing_scope'
      ? `I can’t join channels by myself here yet: I need the scope channels:join, which I get when this app is installed again. Until then, invite me with \`/invite ${bot}\` and run the command again.`
      : `Slack doesn’t let me join this channel. Invite me with \`/invite ${bot}\` and run the command again.`,
  /** By Slack's error code. */
  postingRefused: (code: string | undefined): string => {
    if (code === 'is_archived')
      return 'This channel is archived, so I can’t post here. Try another channel, or our direct messages. Nothing was spent.';
    if (code === 'restricted_action_thread_only_channel')
      return 'This channel only allows replies in threads. Mention me in a thread, or try another channel or our direct messages. Nothing was spent.';
    return 'I can’t post in this channel because of its settings. Try another channel, or our direct messages. Nothing was spent.';
  },
  goesDirect: 'Apps can’t post in this conversation, so the result comes in our direct messages.',
  nowhereToPost:
    'Apps can’t post in this conversation. Try again in a channel I’m in, or in our direct messages. Nothing was spent.',
  /** While a private answer is being written, only to its requester. */
  workingPrivately: 'On it. Only you will see the answer.',
  /** Where a private answer was asked for, if it comes in direct messages. */
  privateDirect: 'Your private answer is in our direct messages.',
  /** In direct messages, above something that only its requester may see. */
  fromHidden: '_You asked for this privately._',
  working: 'On it. I’m not in this channel, so the answer comes in one piece.',
  partsLeftOut: (bot: string) =>
    `*The answer is longer than I can post without being in this channel. Invite me with \`/invite ${bot}\` and ask again to get all of it.*`,
  restDirect: (bot: string) =>
    `*The answer is longer than I can post without being in this channel, so all of it is in our direct messages. To get answers here, invite me with \`/invite ${bot}\`.*`,
  /** Above an answer: messages of its thread that couldn't be read. */
  threadPartly: 'Slack lets me read only part of this thread, so I may have missed some messages.',
  threadUnread: 'I couldn’t read this thread’s earlier messages, so I only know your question.',
  /** Where files are that should stay hidden. */
  inThread: '-# Hidden in the thread.',
  send: 'Send',
  cancel: 'Cancel',
  groupsOf: (label: string) => `${label}: groups`,
  groupsUnreadable:
    'I can’t see who’s in user groups here: this app needs the scope usergroups:read, which it gets when it’s installed again. People can be chosen all the same. Nothing was changed.',
  /** In a menu of yes and no in which nothing is chosen. */
  byDefault: 'Default',
  yes: 'Yes',
  no: 'No',
  files: (about: string, most: number) =>
    `${about}. Up to ${most} of your images. They stay private; the service gets a copy.`,
  publicOnly:
    'Files in Slack are private, so the service can’t read them. Enter public https links, separated by spaces.',
  thinking: 'is thinking…',
  /** After “Thinking…”. */
  waits: ['Finding the words…', 'Still working on it…'],
  busy: 'is working on it…',
  busyWaits: ['Working on it…', 'Still working on it…'],
  /** To whoever asked for something that takes a moment, alone. */
  onIt: 'On it.',
  filesDirect: 'In a channel I can’t share a file with you alone, so it’s in our direct messages.',
  stepNowhere: 'This step needs a channel to post in, or a person to send the result to. Nothing was spent.',
  stepNotThere: 'This channel is private, so this step needs a person who’s in it. Nothing was spent.',
  stepRefused: 'Slack didn’t accept the result of this step.',
  filesInMessages: 'The file is in our direct messages.',
  storageFull: 'This workspace’s file storage is full, so I can’t post files here. Nothing was spent.',
  fileUnreadable: 'I can’t open a file of your message. It may be deleted, or not shared with me.',
  tooLate: 'Slack took too long to deliver this. Please run the command again; nothing was spent.',
  installed: {
    title: (team: string) => `troupe is installed in ${team}`,
    text: 'Invite it to a channel with /invite, or write to it directly. /troupe help shows what it can do.',
    link: 'Open Slack',
  },
  installFailed: { title: 'troupe wasn’t installed', link: 'Try again' },
  installFaults: {
    cancelled: 'You cancelled the installation in Slack.',
    state: 'This link has expired or was opened in another browser.',
    code: 'Slack didn’t accept the authorization code.',
    rotation: 'Token rotation is on in the app’s settings. troupe’s manifest has it off.',
    notAllowed:
      'This bot only works in certain workspaces. The person who runs it decides which. You can remove the app in Slack’s settings.',
    unreachable: 'Slack can’t be reached right now.',
  },
};

/** Texts that only Slack needs. */
export type SlackWords = typeof en;

const zhCn: SlackWords = {
  corrected: (example) => `例如：${example}`,
  typed: (line) => `你输入的是：${line}`,
  optionNote: '选项写在文字后面：`--名称 值`。文字里有 `--` 时请加引号：`"…"`。',
  inviteMe: (bot) =>
    `我不在这个频道里，不能在这里发消息。请用 \`/invite ${bot}\` 邀请我，然后重新输入命令。没有扣除积分。`,
  addMe: (bot) =>
    `我不在这个频道里，不能在这里发消息。点按钮把我加进来，我就会运行这个命令；也可以用 \`/invite ${bot}\` 邀请我，再重新输入。没有扣除积分。`,
  addMeHere: '把我加进来',
  joined: '我现在在这个频道里了。',
  cantJoin: (code, bot) =>
    code === 'missing_scope'
      ? `我在这里还不能自己加入频道：需要权限 channels:join，重新安装这个应用后就有了。在那之前，请用 \`/invite ${bot}\` 邀请我，再重新输入命令。`
      : `Slack 不让我加入这个频道。请用 \`/invite ${bot}\` 邀请我，再重新输入命令。`,
  postingRefused: (code) => {
    if (code === 'is_archived')
      return '这个频道已归档，我不能在这里发消息。请换个频道，或到我们的私信里重试。没有扣除积分。';
    if (code === 'restricted_action_thread_only_channel')
      return '这个频道只允许在消息列里回复。请在消息列里提及我，或换个频道，或到我们的私信里重试。没有扣除积分。';
    return '这个频道的设置不允许我发消息。请换个频道，或到我们的私信里重试。没有扣除积分。';
  },
  goesDirect: '应用不能在这个对话里发消息，结果会发到我们的私信里。',
  nowhereToPost: '应用不能在这个对话里发消息。请到我所在的频道或我们的私信里重试。没有扣除积分。',
  workingPrivately: '收到。只有你会看到回答。',
  privateDirect: '你私下要的内容在我们的私信里。',
  fromHidden: '_这是你私下提问的结果。_',
  working: '收到。我不在这个频道里，所以会一次性发出完整的回答。',
  partsLeftOut: (bot) =>
    `*我不在这个频道里，回答太长，后面的部分发不出来。用 \`/invite ${bot}\` 邀请我，再问一次就能看到全文。*`,
  restDirect: (bot) =>
    `*我不在这个频道里，回答太长，全文已发到我们的私信里。想在这里看，请用 \`/invite ${bot}\` 邀请我。*`,
  threadPartly: 'Slack 只让我读到这个消息列的一部分，可能漏掉了一些消息。',
  threadUnread: '我没能读到这个消息列之前的消息，只看到了你的问题。',
  inThread: '-# 已隐藏在消息列里。',
  send: '发送',
  cancel: '取消',
  groupsOf: (label) => `${label}：用户组`,
  groupsUnreadable:
    '我在这里看不到用户组里有谁：这个应用需要权限 usergroups:read，重新安装后就有了。仍然可以选择具体的人。没有更改任何设置。',
  byDefault: '默认',
  yes: '是',
  no: '否',
  files: (about, most) => `${about}。最多 ${most} 张图片。图片不会公开，只会发给服务一份副本。`,
  publicOnly: '服务读取不到 Slack 里的私有文件，请填写公开的 https 链接，用空格分隔。',
  thinking: '正在思考……',
  waits: ['正在组织语言……', '还在写……'],
  busy: '正在处理……',
  busyWaits: ['正在处理……', '还在处理……'],
  onIt: '收到，正在处理。',
  filesDirect: '在频道里无法只向你一个人发送文件，所以我发到了我们的私信里。',
  stepNowhere: '这个步骤需要一个频道来发布结果，或一个人来接收结果。没有扣除积分。',
  stepNotThere: '这个频道不公开，所以这个步骤需要一个在这个频道里的人。没有扣除积分。',
  stepRefused: 'Slack 没有接受这个步骤的结果。',
  filesInMessages: '文件已发到我们的私信里。',
  storageFull: '这个工作区的文件存储空间已满，我不能在这里发文件。没有扣除积分。',
  fileUnreadable: '我打不开你消息里的一个文件。它可能已被删除，或者没有与我共享。',
  tooLate: 'Slack 送达超时。请重新输入命令；没有扣除积分。',
  installed: {
    title: (team) => `troupe 已安装到 ${team}`,
    text: '在频道里用 /invite 邀请它，或直接给它发消息。/troupe help 会列出它能做什么。',
    link: '打开 Slack',
  },
  installFailed: { title: 'troupe 没有安装成功', link: '重试' },
  installFaults: {
    cancelled: '你在 Slack 中取消了安装。',
    state: '这个链接已过期，或是在另一个浏览器里打开的。',
    code: 'Slack 没有接受授权码。',
    rotation: '应用设置里打开了令牌轮换；troupe 的清单里是关闭的。',
    notAllowed: '这个机器人只在指定的工作区里工作，由它的维护者决定。你可以在 Slack 的设置里移除这个应用。',
    unreachable: '现在连不上 Slack。',
  },
};

const languages: Record<Locale, SlackWords> = { en, 'zh-CN': zhCn };

/** The Slack texts in a language. */
export function slackWords(locale: Locale): SlackWords {
  return languages[locale];
}
