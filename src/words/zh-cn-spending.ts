import type { spendingEn } from './en-spending.ts';

/** Chinese texts about credits, budgets, settings and voices. */
export const spendingZhCn: typeof spendingEn = (place) => ({
  confirm: (command, credits) =>
    `\`/${command}\` 需要 **${credits} 积分**。确认之前不会发送任何内容。要继续吗？`,
  confirmChat: (command, credits) =>
    `\`/${command}\` 大约需要 **${credits} 积分**，回答较长时会更多。确认之前不会发送任何内容。要继续吗？`,
  priceRisen: (credits) =>
    `你提问之后对话变长了，现在需要 ${credits} 积分。没有发送任何内容，也没有扣除积分。可以重试并确认新的价格。`,
  nobodyConfirms: (command, credits, limit) =>
    `\`/${command}\` 需要 ${credits} 积分。这里超过 ${limit} 积分的请求要先确认，而工作流程无法向任何人确认。管理员可以修改 \`confirm_over\`。没有发送任何内容，也没有扣除积分。`,
  budgetExceeded: (whose, { budget, left, needed }, renewal) =>
    `${{ user: '你', channel: '这个频道', workspace: `这个${place}` }[whose]}今天的预算是 ${budget} 积分，还剩 ${left}，而这次可能需要 ${needed}。${renewal}没有发送任何内容，也没有扣除积分。`,
  moreThanWholeDay: '这超过了一整天的预算。',
  totalExceeded: (renewal) => `机器人今天的总预算不够用了。${renewal}没有发送任何内容，也没有扣除积分。`,
  budgetReached: (renewal) => `*今天的预算已用完。* ${renewal}`,
  renewal: (moment, span) => `预算将在 ${span}后（${moment}）重置。`,
  renewed: '那是昨天的预算，现在已经重置。',
  switchedOff: '运行我的人已在这里关闭我。',
  commandOff: (command) => `\`/${command}\` 在这里已关闭，管理员可以开启。`,
  commandNotForYou: (command) => `这里只有部分人可以使用 \`/${command}\`。管理员可以更改。`,
  alerts: {
    budget: (of, percent, budget, channel) =>
      `⚠️ ${{ channel: `${channel} `, workspace: `${place}`, bot: '整个机器人' }[of]}今天 ${budget} 积分的预算已用掉或预留了 ${percent}%。`,
    hour: (of, spent, usual) =>
      `⚠️ 最近一小时${{ workspace: `${place}里`, bot: '' }[of]}用掉了 ${spent} 积分，平时每小时约 ${usual}。详见 \`/usage\`。`,
    test: '✅ 来自控制室的测试：你能收到 troupe 的通知。',
  },
  blockedWord: (isQuoted) =>
    `${isQuoted ? '引用的内容里' : '其中'}有这里屏蔽的词。没有发送任何内容，也没有扣除积分。`,
  flagged: (categories, isQuoted) =>
    `这个我不能做：${isQuoted ? '引用的' : ''}内容被标记${categories.length > 0 ? `为 ${categories.join('、')}` : ''}。没有发送任何内容，也没有扣除积分。`,
  unmoderated: '现在无法检查这条内容，所以没有发送任何内容，也没有扣除积分。请一分钟后再试。',
  unapproved: '这个频道与其他组织共享，需要管理员先在这里开启我：`/settings connect:on`。',
  blocked: '你不能在这里使用我，管理员可以更改。',
  cooldown: (command, span) => `${span}后可以再次使用 \`/${command}\`。没有发送任何内容，也没有扣除积分。`,
  goesOnCheaper: (model) => `今天的预算用完了，所以改用 \`${model}\` 回答。`,
  membersOnly: (command) =>
    `这里只有这个工作区的正式成员可以使用 \`/${command}\`，管理员可以更改。如果你是正式成员，请稍后再试。`,
  membersUnknown: (command, scope) =>
    `这里只有这个工作区的正式成员可以使用 \`/${command}\`，但我无法确认谁是正式成员：这个应用缺少权限 ${scope}，重新安装应用即可获得。`,

  tellOperator: {
    refused:
      '⚠️ 服务不接受我的密钥：密钥有误，或已被吊销。我每 30 秒检查一次，恢复后会自动继续；要换新密钥，请设置 `SERVICE_API_KEY` 并重启我。',
    empty: '⚠️ 密钥所属的账户没有积分了，充值后我会自动继续。',
    mended: '✅ 服务恢复正常。',
    why: '你是这个机器人的维护者，所以收到这条消息。接收人由 `OPERATORS` 设置。',
  },

  usage: {
    titles: { today: '今日积分', week: '本周积分', month: '本月积分' },
    whose: { own: '你自己', all: '这里所有人' },
    by: { user: '按用户', channel: '按频道', kind: '按类型' },
    kinds: { chat: '对话', speech: '语音', image: '图片', video: '视频' },
    direct: '我们的私信',
    deleted: '已删除的数据',
    line: (number, name, credits, calls) => `${number}. ${name}：**${credits}**（${calls} 次）`,
    others: (count) => `其他 ${count} 项`,
    total: (credits, calls) => `合计：**${credits} 积分**，${calls} 次`,
    nothing: '没有使用记录。',
    range: '对话按区间计费，实际扣的积分在两个数之间。',
    uncertain: (calls) => `其中 ${calls} 次中断，无法确定是否扣除了积分，已计入。`,
    underWay: (calls) => `其中 ${calls} 次还在进行，已计入。`,
    standing: (whose, left, budget, renewal) =>
      `${{ user: '你的预算', channel: '这个频道的预算', direct: '我们私信的预算', workspace: `这个${place}的预算` }[whose]}：还剩 ${left} / ${budget} 积分。${renewal}`,
    legend: { low: '至少', high: '至多' },
    chart: (title) => `图表：${title}`,
    mine: '只看自己',
    everybody: '看所有人',
    csv: '导出 CSV',
    csvReady: (rows, of) => `${rows} ${{ calls: '次使用', votes: '条评价' }[of]}，最新的在最后。`,
    light: '浅色图表',
    dark: '深色图表',
  },

  settings: {
    title: {
      channel: '**这个频道的设置**',
      workspace: `**整个${place}的设置**`,
      direct: '**你在这个私信里的设置**',
    },
    sources: { channel: '这个频道', workspace: place, environment: '默认' },
    bounds: {
      most: `机器人的上限，频道和${place}只能设得更低`,
      least: `机器人的下限，频道和${place}只能设得更高`,
    },
    overCeiling: (name, ceiling) =>
      `\`${name}\` 最多 ${ceiling}，这是机器人的维护者设定的上限。没有任何更改。`,
    underFloor: (name, floor) =>
      `\`${name}\` 不能少于 ${floor}，这是机器人的维护者设定的下限。没有任何更改。`,
    notHere: '私信里不能更改这一项，管理员可以在频道里更改。没有任何更改。',
    enter: '更改',
    line: (name, value, source) => `- \`${name}\`：${value}（${source}）`,
    own: '音色的默认语言',
    noLimit: '不限',
    everybody: '所有人',
    empty: { off: '全部开启', blocked: '没有人', blocked_words: '无', role_credits: '无' },
    nobody: '无',
    on: '开',
    off: '关',
    changed: (names) => `✅ 已更改：${names}`,
    unchanged: '没有变化，这些设置已经生效。',
    historyTitle: '**更改记录，最新的在前**',
    change: (when, who, name, before, after, scope) =>
      `- ${when} ${who}：\`${name}\` ${before} → ${after}（${scope}）`,
    notChosen: '未设置',
    noChanges: '这里从未更改过。',
    back: '返回',
    forChannel: '只为这个频道',
    forWorkspace: `为整个${place}`,
    commandsTitle: '**这里的命令。** 点击即可开启或关闭。',
    offQuarter: (zone) =>
      `\`time_zone\` 不能是 \`${zone}\`：与 UTC 的时差必须是 15 分钟的整数倍，例如 \`+0545\`。没有任何更改。`,
    unknownVoice: (voice) => `没有“${voice}”这个音色，可用的见 \`/voices\`。没有任何更改。`,
  },

  personas: {
    title: `**整个${place}的角色。** \`/ask as:Ada\` 用角色回答一次，\`/settings answers as:Ada\` 为频道选定角色。`,
    noneYet: '还没有角色。',
    add: '添加角色',
    edit: '编辑',
    remove: '移除',
    confirmRemove: (name) => ({
      question: `移除 ${name}？选了它的频道将不再使用角色。`,
      yes: '移除',
      no: '取消',
    }),
    saved: (name) => `✅ 已保存：${name}`,
    removed: (name) => `✅ 已移除：${name}`,
    gone: '这个角色已被移除。',
    taken: (name) => `已经有名为 ${name} 的角色。没有任何更改。`,
    full: (most) => `已有 ${most} 个角色，达到上限，请先移除一个。没有任何更改。`,
    badName: (most) =>
      `角色的名字是一行文字，最多 ${most} 个字符，不含链接和 *、_ 之类的符号，也不能是 \`none\` 或 \`inherit\`。没有任何更改。`,
    nameless: '角色需要名字。没有任何更改。',
    unknown: (given, names) =>
      names.length === 0
        ? `这里没有角色 ${given}，也没有其他角色。管理员可以用 \`/settings personas\` 添加。`
        : `这里没有角色 ${given}。可用的角色：${names.join('、')}。`,
  },

  voices: {
    title: (count) => `**${count} 个音色。** 点击数字试听。`,
    line: (number, id, about) => `${number}. ${about && `${about} · `}\`${id}\``,
    none: (language) => `没有支持 \`${language}\` 的音色。`,
    known: '服务暂时没有列出音色，以下是已知的音色。',
    listen: (number) => `▶ ${number}`,
    more: '更多音色',
    sample: (id, about) => (about ? `**${about}**\n\`${id}\`` : `\`${id}\``),
  },
});
