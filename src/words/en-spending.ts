const callsOf = (calls: number) => (calls === 1 ? '1 call' : `${calls} calls`);

/** English texts about credits, budgets, settings and voices; `place` is the platform’s word for a workspace. */
export const spendingEn = (place: string) => ({
  confirm: (command: string, credits: string) =>
    `\`/${command}\` will cost **${credits} credits**. Nothing is sent until you confirm. Go ahead?`,
  /** An answer may get longer than its price counts. */
  confirmChat: (command: string, credits: string) =>
    `\`/${command}\` will cost **about ${credits} credits**, more if the answer is long. Nothing is sent until you confirm. Go ahead?`,
  priceRisen: (credits: string) =>
    `The conversation has grown since you asked, so this would now cost ${credits} credits. Nothing was sent and nothing was spent. Try again to confirm the new price.`,
  nobodyConfirms: (command: string, credits: string, limit: string) =>
    `\`/${command}\` would cost ${credits} credits. More than ${limit} has to be confirmed here, and a workflow can’t ask anyone. An administrator can change \`confirm_over\`. Nothing was sent and nothing was spent.`,
  budgetExceeded: (
    whose: 'user' | 'channel' | 'workspace',
    facts: { readonly budget: string; readonly left: string; readonly needed: string },
    renewal: string,
  ) =>
    `${{ user: 'Your', channel: 'This channel’s', workspace: `This ${place}’s` }[whose]} daily budget of ${facts.budget} credits has ${facts.left} left, and this may need ${facts.needed}. ${renewal} Nothing was sent and nothing was spent.`,
  moreThanWholeDay: 'That’s more than a whole day’s.',
  totalExceeded: (renewal: string) =>
    `What’s left of this bot’s daily budget isn’t enough for this. ${renewal} Nothing was sent and nothing was spent.`,
  budgetReached: (renewal: string) => `*The daily budget is used up.* ${renewal}`,
  renewal: (moment: string, span: string) => `It renews in ${span}, at ${moment}.`,
  renewed: 'That was yesterday’s budget. It has been reset since.',
  switchedOff: 'The people who run me have turned me off here.',
  commandOff: (command: string) => `\`/${command}\` is turned off here. An administrator can turn it on.`,
  commandNotForYou: (command: string) =>
    `Only certain people can use \`/${command}\` here. An administrator can change that.`,
  alerts: {
    budget: (of: 'channel' | 'workspace' | 'bot', percent: number, budget: string, channel?: string) =>
      `⚠️ ${percent}% of today’s budget for ${{ channel, workspace: `your ${place}`, bot: 'this whole bot' }[of]} (${budget} credits) is used or reserved.`,
    hour: (of: 'workspace' | 'bot', spent: string, usual: string) =>
      `⚠️ ${{ workspace: `People in your ${place} have`, bot: 'People have' }[of]} used ${spent} credits within the last hour. An hour usually takes ${usual}. See \`/usage\`.`,
    test: '✅ A test from the control room: notices about troupe reach you.',
  },
  blockedWord: (isQuoted: boolean) =>
    `${isQuoted ? 'What you quote' : 'That'} has a word that’s blocked here. Nothing was sent and nothing was spent.`,
  flagged: (categories: readonly string[], isQuoted: boolean) =>
    `I can’t do that: ${isQuoted ? 'what you quote' : 'it'} was flagged${categories.length > 0 ? ` as ${categories.join(', ')}` : ''}. Nothing was sent and nothing was spent.`,
  unmoderated:
    'I can’t check this right now, so nothing was sent and nothing was spent. Try again in a minute.',
  unapproved:
    'This channel is shared with other organizations. An administrator needs to turn me on here first: `/settings connect:on`.',
  blocked: 'You can’t use me here. An administrator can change that.',
  cooldown: (command: string, span: string) =>
    `You can use \`/${command}\` again in ${span}. Nothing was sent and nothing was spent.`,
  goesOnCheaper: (model: string) => `The daily budget is used up, so I’m answering with \`${model}\`.`,
  membersOnly: (command: string) =>
    `Only full members of this workspace can use \`/${command}\` here; an administrator can change that. If you’re one, try again in a moment.`,
  membersUnknown: (command: string, scope: string) =>
    `Only full members of this workspace can use \`/${command}\` here, and I can’t see who is one: this app needs the scope ${scope}, which it gets when it’s installed again.`,

  tellOperator: {
    refused:
      '⚠️ The service doesn’t accept my key: it’s wrong or was revoked. I check every 30 seconds and continue by myself once it’s accepted again. To use a new key, set `SERVICE_API_KEY` and restart me.',
    empty: '⚠️ The account behind my key is out of credits. I continue by myself once it has some again.',
    mended: '✅ The service works again.',
    why: 'You get this message because you run this bot. `OPERATORS` sets who gets it.',
  },

  usage: {
    titles: {
      today: 'Credits today',
      week: 'Credits this week',
      month: 'Credits this month',
    },
    whose: { own: 'yours', all: 'everyone here' },
    by: { user: 'by person', channel: 'by channel', kind: 'by kind' },
    kinds: { chat: 'Chat', speech: 'Speech', image: 'Images', video: 'Videos' },
    /** The reader’s own with the bot, among channels. */
    direct: 'Our direct messages',
    /** Whoever had their data deleted, and their direct messages. */
    deleted: 'Deleted data',
    line: (number: number, name: string, credits: string, calls: number) =>
      `${number}. ${name}: **${credits}** (${callsOf(calls)})`,
    others: (count: number) => `${count} others`,
    total: (credits: string, calls: number) => `Total: **${credits} credits**, ${callsOf(calls)}`,
    nothing: 'No credits used.',
    range: 'Chat is priced as a range; the actual charge is between the two figures.',
    uncertain: (calls: number) =>
      `${callsOf(calls)} ${calls === 1 ? 'was' : 'were'} cut off and may or may not have been charged. ${calls === 1 ? 'It’s' : 'They’re'} included.`,
    underWay: (calls: number) =>
      `${callsOf(calls)} ${calls === 1 ? 'is' : 'are'} in progress. ${calls === 1 ? 'It’s' : 'They’re'} included.`,
    standing: (
      whose: 'user' | 'channel' | 'direct' | 'workspace',
      left: string,
      budget: string,
      renewal: string,
    ) =>
      `${{ user: 'Your budget', channel: 'Budget of this channel', direct: 'Budget of our direct messages', workspace: `Budget of this ${place}` }[whose]}: ${left} of ${budget} credits left. ${renewal}`,
    legend: { low: 'at least', high: 'at most' },
    chart: (title: string) => `Chart: ${title}`,
    mine: 'Only mine',
    everybody: 'Everyone',
    csv: 'As CSV',
    csvReady: (rows: number, of: 'calls' | 'votes') =>
      `${{ calls: callsOf(rows), votes: rows === 1 ? '1 vote' : `${rows} votes` }[of]}, newest last.`,
    light: 'Light chart',
    dark: 'Dark chart',
  },

  settings: {
    title: {
      channel: '**Settings of this channel**',
      workspace: `**Settings of this whole ${place}**`,
      direct: '**Your settings in this direct message**',
    },
    sources: { channel: 'this channel', workspace: `the ${place}`, environment: 'default' },
    bounds: {
      most: `this bot’s limit; a channel or ${place} can only set a lower one`,
      least: `this bot’s limit; a channel or ${place} can only set a higher one`,
    },
    overCeiling: (name: string, ceiling: string) =>
      `\`${name}\` can be at most ${ceiling}: that’s the limit set by the person who runs this bot. Nothing was changed.`,
    underFloor: (name: string, floor: number) =>
      `\`${name}\` can’t be less than ${floor}: that’s the limit set by the person who runs this bot. Nothing was changed.`,
    notHere:
      'You can’t change that in a direct message. An administrator can, in a channel. Nothing was changed.',
    enter: 'Change',
    line: (name: string, value: string, source: string) => `- \`${name}\`: ${value} (${source})`,
    own: 'the voice’s default',
    noLimit: 'no limit',
    everybody: 'everyone',
    empty: { off: 'all on', blocked: 'nobody', blocked_words: 'none', role_credits: 'none' } as Readonly<
      Record<string, string>
    >,
    nobody: 'none',
    on: 'on',
    off: 'off',
    changed: (names: string) => `✅ Changed: ${names}`,
    unchanged: 'Nothing to change: these settings are already in use.',
    historyTitle: '**Change history, newest first**',
    change: (when: string, who: string, name: string, before: string, after: string, scope: string) =>
      `- ${when} ${who}: \`${name}\` ${before} → ${after} (${scope})`,
    notChosen: 'not set',
    noChanges: 'Nothing has been changed here.',
    back: 'Back',
    forChannel: 'For this channel',
    forWorkspace: `For the whole ${place}`,
    commandsTitle: '**Commands here.** Click one to turn it on or off.',
    offQuarter: (zone: string) =>
      `\`time_zone\` can’t be \`${zone}\`: its offset from UTC isn’t a multiple of 15 minutes, as in \`+0545\`. Nothing was changed.`,
    unknownVoice: (voice: string) =>
      `There’s no voice “${voice}”. See \`/voices\` for the list. Nothing was changed.`,
  },

  personas: {
    title: `**Personas of this whole ${place}.** \`/ask as:Ada\` answers as one, \`/settings answers as:Ada\` makes it a channel’s.`,
    noneYet: 'There aren’t any yet.',
    add: 'Add a persona',
    edit: 'Edit',
    remove: 'Remove',
    confirmRemove: (name: string) => ({
      question: `Remove ${name}? Channels that chose it go on without it.`,
      yes: 'Remove',
      no: 'Cancel',
    }),
    saved: (name: string) => `✅ Saved: ${name}`,
    removed: (name: string) => `✅ Removed: ${name}`,
    gone: 'This persona was removed.',
    taken: (name: string) => `There’s a persona ${name} already. Nothing was changed.`,
    full: (most: number) =>
      `There are ${most} personas, as many as there can be. Remove one first. Nothing was changed.`,
    badName: (most: number) =>
      `A persona’s name is a line of up to ${most} characters, without links or marks such as * and _, and not \`none\` or \`inherit\`. Nothing was changed.`,
    nameless: 'A persona needs a name. Nothing was changed.',
    unknown: (given: string, names: readonly string[]) =>
      names.length === 0
        ? `There’s no persona ${given} here, and no other. An administrator can add some with \`/settings personas\`.`
        : `There’s no persona ${given} here. Personas: ${names.join(', ')}.`,
  },

  voices: {
    title: (count: number) =>
      count === 1
        ? '**1 voice.** Click its number to hear it.'
        : `**${count} voices.** Click a number to hear it.`,
    line: (number: number, id: string, about: string) => `${number}. ${about && `${about} · `}\`${id}\``,
    none: (language: string) => `No voice speaks \`${language}\`.`,
    known: 'The service isn’t listing its voices right now; these are the ones I know.',
    listen: (number: number) => `▶ ${number}`,
    more: 'More voices',
    sample: (id: string, about: string) => (about ? `**${about}**\n\`${id}\`` : `\`${id}\``),
  },
});
