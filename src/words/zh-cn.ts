import { asCode } from '../lib/text.ts';
import type { OptionFault } from '../port/index.ts';
import { auditWords } from './audit-words.ts';
import { eitherWords } from './decisions.ts';
import type { Words } from './en.ts';
import { bytesInWords, creditsInWords, faultsInWords, undone } from './figures.ts';
import { directWords, messageWords } from './message-words.ts';
import { allowedInWords } from './option-labels.ts';
import { spendingZhCn } from './zh-cn-spending.ts';

/** Discord’s permissions as its Chinese client calls them, each with its English name. */
export const chinesePermissions = {
  'View Channels': '查看频道（View Channels）',
  'Send Messages': '发送消息（Send Messages）',
  'Send Messages in Threads': '在子区内发送消息（Send Messages in Threads）',
  'Create Public Threads': '创建公共子区（Create Public Threads）',
  'Attach Files': '附加文件（Attach Files）',
  'Send Voice Messages': '发送语音消息（Send Voice Messages）',
  'Read Message History': '读取消息历史记录（Read Message History）',
  'Embed Links': '嵌入链接（Embed Links）',
  Connect: '连接（Connect，用于语音频道的聊天）',
};

const names: ReadonlyMap<string, string> = new Map(Object.entries(chinesePermissions));

/** A list of permissions for who reads Chinese; those of other platforms stay as they are. */
export function permissionsInChinese(list: string): string {
  return list
    .split(', ')
    .map((name) => names.get(name) ?? name)
    .join('、');
}

const ofFault = (fault: OptionFault): string => {
  const { code, option, given } = fault;
  const allowed = fault.allowed && allowedInWords(String(fault.allowed), 'zh-CN');
  return {
    'unknown-option': `没有选项 ${asCode(option, 60)}${allowed ? `。可用的有：${allowed}。` : '：这个命令没有选项。'}`,
    missing: `\`${option}\` 必须填写。`,
    'too-long': `\`${option}\` 有 ${given} 个字符，最多允许 ${allowed} 个。`,
    'too-many-bytes': `\`${option}\` 有 ${given} 字节（UTF-8），最多允许 ${allowed} 字节（一个汉字占 3 字节）。`,
    'not-a-choice': `\`${option}\` 不能是“${given}”。允许：${allowed}。`,
    'not-listed': `找不到“${given}”。\`${option}\` 的可选值见 \`${allowed}\`。`,
    'not-an-integer': `\`${option}\` 必须是整数，范围 ${allowed}；“${given}”不是。`,
    'not-a-number': `\`${option}\` 必须是数字，范围 ${allowed}；“${given}”不是。`,
    'out-of-range': `\`${option}\` 不能是 ${given}。允许：${allowed}。`,
    'not-a-boolean': `\`${option}\` 必须是 true 或 false；“${given}”都不是。`,
    'not-a-file': `\`${option}\` 需要一个文件，请附上。`,
    'a-file': `\`${option}\` 不能是文件。`,
    'wrong-media': `\`${option}\` 不能是 ${given} 类型的文件。允许：${allowed}。`,
    'not-https': `\`${option}\` 需要以 https:// 开头的公开链接${given === undefined ? '' : `；“${given}”不是`}。`,
    'no-link': `\`${option}\` 由服务直接读取，需要公开的 https 链接。请改用 \`${allowed}\`。`,
    'too-large': `\`${option}\` 超过了 ${allowed}。`,
    'too-many': `\`${option}\` 有 ${given} 项，最多允许 ${allowed} 项。`,
    'too-many-files': `你附上了 ${given} ${option === 'video' ? '段视频' : '张图片'}，最多可用 ${allowed} ${option === 'video' ? '段' : '张'}。`,
    'takes-no-files': `用不了 \`${option}\`：这个命令不需要文件。`,
    needs: `\`${option}\` 这样设置时，还需要提供其中之一：${allowed}。`,
    'wrong-form': `\`${option}\` 不能是“${given}”。允许：${allowed}。`,
    'other-version': `这是我的另一个版本留下的，我读不了。请重新输入 \`/${option}\`。`,
  }[code];
};

/** The bot’s Chinese texts. */
export const zhCn: Words = {
  locale: 'zh-CN',
  colon: '：',
  comma: '、',
  faults: (command, faults) =>
    [
      ...(faults.length === 1 ? [] : [`/${command} 有 ${faults.length} 处需要修改：`]),
      ...faultsInWords(faults, ofFault, (count) => `……还有 ${count} 处。`),
      ...undone(command, '没有发送任何内容，也没有扣除积分。', '没有任何更改。'),
    ].join('\n'),
  people: undefined,
  optionName: (name) => name,
  unknownCommand: (command) => `没有 \`/${command}\` 这个命令。\`/help\` 会列出所有命令。`,
  filesNotAllowed: (permission) =>
    `我需要“${permissionsInChinese(permission)}”权限才能在这里发文件。管理员可以授予；没有扣除积分。`,
  fileKindsNotAllowed: (endings) =>
    `这个工作区不允许上传这类文件（${endings}）。管理员可以放开限制；没有扣除积分。`,
  administratorsOnly: '只有管理员可以在这里执行此操作。',
  readersOnly: '你不能在这里发消息，我也不能替你发。没有扣除积分。',
  tooManyWaiting: (most) => `你在这里已经有 ${most} 个问题在等待。等其中一个回答完再问吧；没有扣除积分。`,
  tooManyRenders: (most) =>
    `你在这里已有 ${most} 个图片或视频任务正在进行。等其中一个完成再试吧；没有扣除积分。`,
  shuttingDown: '我正在重启，请一分钟后再试；没有扣除积分。',
  alreadyUnderWay: '已经在进行中，没有重复扣除积分。',
  alreadyMade: '已经完成，可以用 `/renders` 查看，没有重复扣除积分。',
  buttonExpired: '这个按钮已过期，请重新输入命令。',
  buttonNotHere: '这个按钮现在在这里用不了，请稍后再试，或重新输入命令。',
  deleted: '内容已被删除。如果还需要，请重新输入命令。',
  questionDeleted: '提问已被删除，这个按钮在这里不再有效。如果还需要，请重新提问。',
  notYours: '只有输入命令的人可以用这个按钮。',
  question: {
    yes: '确定',
    no: '不用了',
    said: '已确认。',
    declined: '没有发送任何内容，也没有扣除积分。',
    answered: '这个问题已经回答过了。',
    tooOld: '这个问题已过期。请重新输入命令；没有扣除积分。',
  },
  stop: '停止',
  reply: '回复',
  regenerate: '重新生成',
  continue: '继续',
  tryAgain: '重试',
  again: (images) => (images > 1 ? '再来一组' : '再来一张'),
  use: (number) => `选第 ${number} 张`,
  chosen: (number) => `第 ${number} 张：要做什么？`,
  drawMissing: (count) => `补画 ${count} 张`,
  cancel: '取消',
  canceled: '已取消，没有扣除积分。',
  tooLateToCancel: '来不及取消了：这个请求已经不在排队。',
  edit: '修改',
  toVideo: '变成视频',
  sameSeed: '同种子重做',
  newSeed: '换个种子',
  remove: '删除',
  notAllDeleted: '没能全部删除。请再试一次，或请管理员删除剩下的。',
  confirmRemove: { question: '要为所有人删除吗？删除后无法恢复。', yes: '删除', no: '取消' },

  privacy: {
    title: '**我保存了你的哪些数据**',
    kept: (historyDays, promptDays) => [
      `- 对话：你写给我的话和我的回答，${historyDays} 天没人继续就忘掉。`,
      `- 命令：你填写的内容，保存 ${Math.max(90, historyDays)} 天，按钮要用。`,
      promptDays === 0
        ? '- 积分：谁在何时何地为什么用了多少，不含你写的内容。'
        : `- 积分：谁在何时何地为什么用了多少。这里的管理员选择了连同你在频道里的提示词一起保存 ${promptDays} 天，他们可以看到。`,
      '- 你的默认设置（`/me`），直到你恢复默认；你对回答的评价，保存 90 天。',
    ],
    sent: '你给我的内容会发给生成回答、语音、图片和视频的服务。你在聊天里删除的内容，我也会忘掉。',
    policy: '隐私政策',
    terms: '服务条款',
    export: '导出我的数据',
    exported: '你的命令、回答、积分、默认设置和评价。',
    tooMuch: (most) => `你的数据太多，一个文件放不下（${most}）。可以向我的运营者索取。`,
    erase: '删除我的数据',
    confirm:
      '要删除我保存的关于你的数据吗？你的结果下面的按钮会失效，你用掉的积分不再带你的名字。我的消息会留着：请先用消息下面的“删除”。此操作无法撤销。',
    erased:
      '已删除。还在进行的内容，完成后也会删除。今天用掉的积分到明天为止还带你的 ID，因为这里的限制要用。',
  },
  me: {
    title: '**你的默认设置**',
    chosen: (label, value) => `- ${label}：${value}`,
    inherited: (label, value) => `- ${label}：未设置，这里是${value}`,
    hint: '只对你自己生效，适用于所有频道；输入命令时写明的优先。填 `inherit` 恢复默认。',
    change: '修改',
    changed: '已保存。',
  },
  sharing: {
    share: '分享到这里',
    shared: '已分享',
    done: '已分享。',
    already: '你已经分享过了。',
    gone: '内容已经不在了，没法分享。',
    questionDeleted: '你删除了自己的提问，所以这条回答没法分享。',
    notThere: '你现在不能在那个频道发言，没法分享过去。',
    deleted: '内容在分享时就被删除了。',
    lost: '没能全部分享，已经撤回。如果你在那里还看到一部分，那部分我无法删除。',
    sharedBy: (name) => `-# 由 ${name} 分享`,
  },
  audit: auditWords['zh-CN'],
  reporting: {
    this: '举报此消息',
    button: '举报',
    sent: '谢谢，举报已经发给这里的管理者。',
    sentLatest: '谢谢，对我在这里最近给你生成的内容的举报，已经发给这里的管理者。',
    already: '你已经举报过了。',
    delete: '删除它',
    deletedBy: (name) => `已由 ${name} 删除`,
    isDeleted: '已删除',
    deleted: '已删除。',
    alreadyDeleted: '已经被删除了。',
    moderatorsOnly: '只有能在那里删除消息或更改我的设置的人可以这样做。',
    tooMany: '你今天举报得太多了。请明天再试，或直接告诉管理员。',
    unknown: '我只能转达对我最近 90 天生成内容的举报。要举报我的某条消息，请在它的菜单里选择“举报此消息”。',
    nobody: '我暂时联系不到这里的管理者，一周内会继续尝试，也请直接告诉管理员。',
  },
  notWriting: '这条回答已经不在生成了，没有什么可停止的。',
  machineNote: '-# AI 生成',
  firstContact: '-# 我是 AI 助手，不是真人，可能会出错。',
  onlyBots: '这里已经有一阵只有机器人在跟我对话，我先停下。等有人问我之后，我会再回答它们。',
  stopUnheard: '没能停止：正在写这条回答的进程没有响应。如果它已经退出，这条回答稍后会标记为已中断。',
  thinking: '正在思考……',
  waitingTurn: '前面的回答还没写完，马上轮到你。',
  waitingPlace: (place) => `当前请求较多，你排在第 ${place} 位。`,
  endings: {
    stopped: '*已停止。*',
    interrupted: '*因重启而中断。*',
    cutOff: '*回答在这里中断了。*',
    tooLong: '*回答到达了长度上限。*',
    filtered: '*服务在这里结束了回答。*',
  },
  withheld: {
    word: '⚠️ 这条回答不能显示：其中有这里屏蔽的词。',
    flagged: (categories) =>
      `⚠️ 这条回答不能显示：内容被标记${categories.length > 0 ? `为 ${categories.join('、')}` : ''}。`,
    unchecked: (hasBegun) =>
      `⚠️ 现在无法检查这条回答${hasBegun ? '余下的部分' : ''}，所以不能显示。请一分钟后再试。`,
  },
  quotedPrompt: '请回应引用的内容。',
  continuePrompt: '请从停下的地方继续。',
  emptyAnswer: '*回答是空的。*',
  fresh: '已开始新的对话，之前的内容已清除。',
  freshPrivately: '我已忘记你在这里的私密对话。这里大家共用的对话不变，只有管理员或版主可以重置。',
  sharedHere:
    '这里的对话是大家共用的，只有管理员或版主可以重置。想要自己的对话，请用 `/ask thread:true`，或直接私信我。',
  threadNotOpened: '我没能在给你的回答下面开消息列。想接着聊，请回复那个回答。',
  noThreadHere: (permission) =>
    permission === undefined
      ? '我不是这里的成员，无法在这里开消息列，所以这次仍属于这里的对话。'
      : `我无法在这里开消息列，所以这次仍属于这里的对话。我需要这个权限：${permissionsInChinese(permission)}。`,

  spoken: '语音做好了。文字被拦截，所以没有显示。',
  drawing: '正在画……',
  drawingFor: (elapsed, howFar) => (howFar ? `正在画……${howFar}，${elapsed}` : `正在画……${elapsed}`),
  madeOf: (made, count) => `${made}/${count} 张已完成`,
  someMissing: (missing, count) => `${count} 张图片中有 ${missing} 张没有画出来。`,
  filming: '正在渲染……',
  filmingFor: (elapsed, percent) => (percent ? `正在渲染……${percent}，${elapsed}` : `正在渲染……${elapsed}`),
  takesLong: (elapsed) => `这次用时比平时长得多（${elapsed}）。我会继续查询，完成后发到这里。`,
  imagesReady: () => '图片画好了。',
  imagesFailed: () => '图片出了问题。',
  filmed: '渲染完成。',
  notFilmed: '渲染失败。',
  videoAsked: (about, credits, isInThread) =>
    `${about}\n-# ${creditsInWords(credits, 'zh-CN')} 积分。做好后我会发到${isInThread ? '下面的消息列' : '这'}里。`,
  videoThere: (about, link) =>
    `${about}\n-# ${link === undefined ? '已做好，在下面的消息列里。' : `已做好：${link}`}`,
  tooLargeHere: (size, limit) =>
    `文件大小为 ${size}，${limit === undefined ? '太大，无法发到这里' : `超过了这里允许的 ${limit}`}。可以在一段时间内通过这个链接获取：`,
  postedBelow: '已发到下面。',
  postedInChannel: (link) =>
    `其余内容无法发到这里，完整的回答已发到频道里${link === undefined ? '。' : `：${link}`}`,
  ...directWords['zh-CN'],
  either: eitherWords['zh-CN'],
  ...messageWords['zh-CN'],
  answerAsFile: '完整的回答',
  movesDirectly: {
    goesOn: '这需要更久，完成后我会用私信发给你。',
    isKept:
      '这需要更久，而我没法给你发私信。完成后一周内可以用 `/renders` 查看。也可以允许这个服务器的成员给你发私信。',
  },
  showNumbered: (number) => `查看 ${number}`,
  held: (number) => `· #${number}，已完成，但没法发给你`,
  nothingHeld: '内容已经发送过了，或者已经不在了。',
  notPostedYet: {
    here: '已经做好了，但暂时发不到这里。我会继续重试。',
    directly: '你要的内容已经做好了，但暂时发不到那个频道。我会继续重试。',
  },
  postedNowhere: '已经做好了，但我没能发到这里，也没能私信发给你，可能是这里不允许我发文件或消息。',
  fetched: '没能发到这里，所以只给提问的人看了。',
  keptForYou: '我没能发到这里，也没能私信发给你。一周内我会继续重试，你也可以用 `/renders` 查看。',
  tooLargeAnywhere: (size, limit) =>
    limit === undefined
      ? `已经做好了，但文件（${bytesInWords(size)}）太大，无法发到这里。`
      : `已经做好了，但文件（${bytesInWords(size)}）太大，这里最多只能发 ${bytesInWords(limit)}。`,
  tooLargeAs: (asked, given) => `-# ${asked} 格式的文件太大，无法发到这里，已改用 ${given}。`,
  blockedHere: (sentDirectly) =>
    sentDirectly
      ? '这里的 AutoMod 拦截了我的回答，我已私信发给提问的人。'
      : '这里的 AutoMod 拦截了我的回答，我也没能用私信发出去。',
  linkOnly: '文件无法发到这里。可以在一段时间内通过这个链接获取：',
  noticeUncertain:
    '我在发送这个请求时被中断，不确定是否已扣除积分。我没有再次发送；需要的话请点击下面的按钮。',
  noRenders: '这里没有正在渲染的内容。',
  renderLine: (kind, about, who, since) =>
    `- ${{ image: '图片', video: '视频', answer: '回答', clip: '语音' }[kind]}：${about}（${who}，已 ${since}）`,
  queued: (number) => `· 排队中，#${number}`,
  cancelNumbered: (number) => `取消 #${number}`,
  interrupted: (about) => `⚠️ ${about ? `“${about}”` : '之前的请求'}还没完成就被中断了。`,

  errors: {
    database: '我暂时无法保存数据，请一分钟后再试。',
    unexpected: '我这边出了点问题，详情已写入日志。',
    unavailable: '服务暂时不可用，已经通知了机器人的维护者。',
    notFound: '服务端已找不到这项内容。',
    refused: (reason) => (reason ? `服务没有接受，没有扣除积分：${reason}` : '服务没有接受，没有扣除积分。'),
    rateLimit: '现在对服务的请求太多，请一分钟后再试。',
    queueFull: '排队的请求太多，请一分钟后再试；没有扣除积分。',
    server: '服务暂时出了故障。',
    serverMayCharge: '服务出错了，这次请求可能已扣除积分。',
    connection: '暂时连不上服务。',
    connectionMayCharge: '与服务的连接断开了，这次请求可能已扣除积分。',
    timeout: '服务响应超时。',
    timeoutMayCharge: '服务响应超时，这次请求可能已扣除积分。',
    truncated: '回答在结束前中断了。',
    renderFailed: (reason) =>
      reason ? `服务生成失败，没有扣除积分：${reason}` : '服务生成失败，没有扣除积分。',
    renderUnanswered: (days) =>
      `服务连续 ${days} 天没有返回这个任务的状态，我已停止查询。这次请求可能已扣除积分。`,
    renderDeadline: (minutes) =>
      `等了 ${minutes >= 120 ? `${Math.round(minutes / 60)} 小时` : `${minutes} 分钟`}仍未完成，我已停止查询。`,
    answerUnderWay: '这里已经在写新的一版了。',
    versionUnderWay: '这里已经在画新的一版了。',
    nothingSpent: (why) => `${why}没有扣除积分。`,
    mayCharge: (why) => `${why}这次请求可能已扣除积分。`,
    spent: (why) => `${why}积分已扣除。`,
    resultGone: '结果已失效。',
    imagesLost: '要用的图片还没发送就在我这边丢失了。没有扣除积分，请重试。',
    wrongKind: {
      image: '服务返回的不是图片，这次请求可能已扣除积分。',
      video: '服务返回的不是视频，这次请求可能已扣除积分。',
    },
    noPermission: (permission) => `我在这里缺少权限：${permissionsInChinese(permission)}。管理员可以授予。`,
    notAllowed: '我没有权限做这件事。管理员可以更改。',
    notMember: '我不在这个频道里，请先邀请我。',
    tooLarge: (limit) => `文件太大，无法发到这里${limit === undefined ? '' : `（最多 ${limit}）`}。`,
    contentRefused: (reason) => (reason ? `内容在这里被拦截了：${reason}。` : '内容在这里被拦截了。'),
    fileNotAllowed: '这里不允许这种文件。',
    expired: '用时太长，已无法在这里回复。',
    gone: '这个频道或消息列已不存在。',
    unreachable: '暂时连不上平台。',
    fileGone: (name) => `我打不开 \`${name}\`。它可能已被删除，或者没有与我共享。`,
    notAnImage: (name) => `\`${name}\` 不是能识别的图片。请使用 PNG、JPEG、WebP、GIF、AVIF 或 HEIC。`,
    tooManyPixels: (name, megapixels) =>
      `\`${name}\` 超过了 ${megapixels * 100} 万像素。请换一张小一些的图片。`,
  },

  spending: spendingZhCn('工作区'),

  help: {
    title: '**我在这里能做什么**',
    commandLine: (name, description) => `- **/${name}** — ${description}`,
    mention: '提到我，或直接给我发消息，等同于 `/ask`。',
    plain: '不带命令直接输入，等同于 `/ask`。',
    byWords: '消息也可以用命令开头，不用加斜杠：`画图 一只猫`。',
    fromMessage: (labels) => `在任意消息的菜单里：${labels.map((label) => `**${label}**`).join('、')}。`,
    options: '选项',
    option: (names, about, facts) =>
      `- ${names}：${about}${facts.length > 0 ? `（${facts.join('；')}）` : ''}`,
    files: { image: '图片文件', video: '视频文件' },
    required: '必填',
    range: (min, max) => `${min} 到 ${max}`,
    characters: (limit) => `最多 ${limit} 个字符`,
    bytes: (limit) => `最多 ${limit} 字节（UTF-8）`,
    addresses: (limit) => `最多 ${limit} 个`,
    more: (command) => `用 \`/help command:${command}\` 查看某个命令的说明。`,
  },
};
