/** What troupe says in English about credits, budgets, settings and voices. */
export const spendingEn = {
  confirm: (command: string, credits: string) =>
    `\`/${command}\` would cost **${credits} credits** as it stands. Nothing is sent before you say yes. Shall I?`,
  budgetExceeded: (
    whose: 'user' | 'channel' | 'workspace',
    facts: { readonly budget: string; readonly left: string; readonly needed: string },
    renewal: string,
  ) =>
    `${{ user: 'Your', channel: "This channel's", workspace: "This workspace's" }[whose]} daily budget of ${facts.budget} credits has ${facts.left} left, and this may need ${facts.needed}. ${renewal} Nothing was sent and nothing was spent.`,
  budgetReached: (renewal: string) => `*The daily budget ends here.* ${renewal}`,
  renewal: (moment: string, span: string) => `It is whole again in ${span}, at ${moment}.`,
  commandOff: (command: string) => `\`/${command}\` is switched off here. An administrator can switch it on.`,
  commandNotForYou: (command: string) =>
    `\`/${command}\` is kept to some people here, and you are not among them. An administrator can change that.`,

  keyRefused: 'I cannot work at the moment: the service does not accept my key. Nothing was spent.',
  accountEmpty: 'I cannot work at the moment: the account has no credits left. Nothing was spent.',
  tellAdministrator: {
    refused:
      'The service refuses my key: it is wrong, or was revoked. I keep asking every half minute and go on by myself when it is accepted again; a new key goes into `SERVICE_API_KEY`, and I have to be restarted with it.',
    empty:
      'The service refuses to work for me: the account behind my key has no credits left. I go on by myself when there are some again.',
    mended: 'I can work again.',
  },

  usage: {
    titles: {
      today: 'Credits today',
      week: 'Credits this week',
      month: 'Credits this month',
    },
    whose: { own: 'yours', all: 'everybody here' },
    by: { user: 'by person', channel: 'by channel', kind: 'by kind' },
    kinds: { chat: 'Chat', speech: 'Speech', image: 'Images', video: 'Videos' },
    line: (number: number, name: string, credits: string, calls: number) =>
      `${number}. ${name}: **${credits}** (${calls} ${calls === 1 ? 'call' : 'calls'})`,
    others: (count: number) => `${count} others`,
    total: (credits: string, calls: number) => `Together: **${credits} credits**, ${calls} calls`,
    nothing: 'Nothing was used.',
    range: 'The service charges chat within a range; what it charges lies between the two figures.',
    uncertain: (calls: number) =>
      `${calls} of the calls ${calls === 1 ? 'was' : 'were'} cut off, so nobody knows whether ${calls === 1 ? 'it was' : 'they were'} charged; ${calls === 1 ? 'it is' : 'they are'} counted.`,
    standing: (whose: 'user' | 'channel' | 'workspace', left: string, budget: string, renewal: string) =>
      `${{ user: 'Your budget', channel: 'Budget of this channel', workspace: 'Budget of this workspace' }[whose]}: ${left} of ${budget} credits left today. ${renewal}`,
    legend: { low: 'at least', high: 'at most' },
    chart: (title: string) => `Chart: ${title}`,
    mine: 'Only mine',
    everybody: 'Everybody',
    csv: 'As CSV',
    csvReady: (rows: number) => `${rows} calls, newest last.`,
    light: 'Light chart',
    dark: 'Dark chart',
  },

  settings: {
    title: { channel: '**Settings of this channel**', workspace: '**Settings of this whole workspace**' },
    sources: { channel: 'this channel', workspace: 'the workspace', environment: 'default' },
    groups: {
      answers: 'Answers',
      media: 'Voice and image',
      video: 'Video',
      budgets: 'Budgets',
      people: 'Who may use what',
      commands: 'Commands',
    },
    line: (name: string, value: string, source: string) => `- \`${name}\`: ${value} (${source})`,
    own: "the voice's own",
    noLimit: 'no limit',
    everybody: 'everybody',
    noneOff: 'all on',
    on: 'on',
    off: 'off',
    changed: (names: string) => `✅ Changed: ${names}`,
    unchanged: 'Nothing was different from what holds already.',
    history: 'History',
    historyTitle: '**Who changed what, the latest first**',
    change: (when: string, who: string, name: string, before: string, after: string, scope: string) =>
      `- ${when} ${who}: \`${name}\` ${before} → ${after} (${scope})`,
    notChosen: 'not chosen',
    noChanges: 'Nothing was ever changed here.',
    back: 'Back',
    forChannel: 'For this channel',
    forWorkspace: 'For the whole workspace',
    commandsTitle: '**Commands here.** Press one to switch it on or off.',
    unknownVoice: (voice: string) => `There is no voice \`${voice}\`. \`/voices\` shows what there is.`,
  },

  voices: {
    title: (count: number) => `**${count} voices.** Press a number to hear it.`,
    line: (number: number, id: string, name: string, languages: string) =>
      `${number}. ${name}\`${id}\` (${languages})`,
    none: (language: string) => `No voice speaks \`${language}\`.`,
    known: 'The service does not show its list just now; these are the voices I know.',
    listen: (number: number) => `▶ ${number}`,
    more: 'More voices',
    sample: (voice: string) => `\`${voice}\``,
  },
};
