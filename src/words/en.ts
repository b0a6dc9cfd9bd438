import { asCode } from '../lib/text.ts';
import type { Locale, OptionFault } from '../port/index.ts';
import { auditWords } from './audit-words.ts';
import { eitherWords } from './decisions.ts';
import { spendingEn } from './en-spending.ts';
import { bytesInWords, creditsInWords, faultsInWords, undone } from './figures.ts';
import { directWords, messageWords } from './message-words.ts';

const ofFault = ({ code, option, given, allowed = '' }: OptionFault): string => {
  const list = allowed.endsWith('…') ? allowed : `${allowed}.`;
  return {
    'unknown-option': `There’s no option ${asCode(option, 60)}${allowed ? `. Options: ${list}` : ': this takes none.'}`,
    missing: `\`${option}\` is required.`,
    'too-long': `\`${option}\` has ${given} characters; at most ${allowed} are allowed.`,
    'too-many-bytes': `\`${option}\` has ${given} bytes of UTF-8; at most ${allowed} are allowed (a Chinese character takes 3).`,
    'not-a-choice': `\`${option}\` can’t be “${given}”. Allowed: ${list}`,
    'not-listed': `There’s no ${option} “${given}”. See \`${allowed}\` for the list.`,
    'not-an-integer': `\`${option}\` must be a whole number, ${allowed}; “${given}” isn’t.`,
    'not-a-number': `\`${option}\` must be a number, ${allowed}; “${given}” isn’t.`,
    'out-of-range': `\`${option}\` can’t be ${given}. Allowed: ${list}`,
    'not-a-boolean': `\`${option}\` must be true or false; “${given}” is neither.`,
    'not-a-file': `\`${option}\` takes a file: attach it.`,
    'a-file': `\`${option}\` can’t be a file.`,
    'wrong-media': `\`${option}\` can’t be a file of type ${given}. Allowed: ${list}`,
    'not-https': `\`${option}\` takes public links that start with https://${given === undefined ? '' : `; “${given}” isn’t one`}.`,
    'no-link': `The service fetches \`${option}\` itself, so it needs a public https link. Use \`${allowed}\` instead.`,
    'too-large': `\`${option}\` is larger than ${allowed}.`,
    'too-many': `\`${option}\` has ${given} items; at most ${allowed} are allowed.`,
    'too-many-files': `You attached ${given} ${option}s; at most ${allowed} can be used.`,
    'takes-no-files': `I can’t use \`${option}\`: this command doesn’t take files.`,
    needs: `With this \`${option}\` you also need one of these: ${allowed}.`,
    'wrong-form': `\`${option}\` can’t be “${given}”. Allowed: ${list}`,
    'other-version': `This comes from another version of me, and I can’t read it. Run \`/${option}\` again.`,
  }[code];
};

const daysOf = (days: number) => (days === 1 ? 'a day' : `${days} days`);

/** The bot’s English texts. The other languages have the same keys. */
export const en = {
  locale: 'en' as Locale,
  colon: ': ',
  /** Stands between the items of a list. */
  comma: ', ',
  faults: (command: string, faults: readonly OptionFault[]): string =>
    [
      ...(faults.length === 1 ? [] : [`/${command} needs ${faults.length} changes:`]),
      ...faultsInWords(faults, ofFault, (count) => `… and ${count} more.`),
      ...undone(command, 'Nothing was sent and nothing was spent.', 'Nothing was changed.'),
    ].join('\n'),
  /** A list of people, roles and groups by their ids; undefined where they are shown as they are. */
  people: undefined as ((ids: readonly string[], areRoles?: boolean) => string) | undefined,
  /** The name of an option as people read and type it. */
  optionName: (name: string) => name,
  unknownCommand: (command: string) =>
    `There’s no command \`/${command}\`. Use \`/help\` to see all commands.`,
  filesNotAllowed: (permission: string) =>
    `I need the “${permission}” permission to post files here. An administrator can grant it; nothing was spent.`,
  fileKindsNotAllowed: (endings: string) =>
    `This workspace doesn’t allow files of this kind (${endings}). An administrator can allow them; nothing was spent.`,
  administratorsOnly: 'Only administrators can do that here.',
  readersOnly: 'You can’t send messages here, so I can’t post this for you. Nothing was spent.',
  tooManyWaiting: (most: number) =>
    `You already have ${most} questions waiting here. Ask again once one of them is answered; nothing was spent.`,
  tooManyRenders: (most: number) =>
    most === 1
      ? 'You already have an image or video in progress here. Ask again once it’s done; nothing was spent.'
      : `You already have ${most} images or videos in progress here. Ask again once one of them is done; nothing was spent.`,
  shuttingDown: 'I’m restarting. Please try again in a minute; nothing was spent.',
  alreadyUnderWay: 'That’s already on its way. Nothing more was spent.',
  alreadyMade: 'That’s ready already: fetch it with `/renders`. Nothing more was spent.',
  buttonExpired: 'This button has expired. Run the command again.',
  buttonNotHere: 'This button doesn’t work here right now. Try again in a minute, or run the command again.',
  deleted: 'This was deleted. Run the command again if you still need it.',
  questionDeleted:
    'The question was deleted, so this button no longer works here. Ask again if you still need it.',
  notYours: 'Only the person who ran the command can use this button.',
  question: {
    yes: 'Yes, go ahead',
    no: 'No',
    said: 'Confirmed.',
    declined: 'Nothing was sent and nothing was spent.',
    answered: 'This question was already answered.',
    tooOld: 'This question has expired. Run the command again; nothing was spent.',
  },
  stop: 'Stop',
  reply: 'Reply',
  regenerate: 'Regenerate',
  continue: 'Continue',
  tryAgain: 'Try again',
  again: (_images: number) => 'Again',
  /** One of several images, by its number. */
  use: (number: number) => `Use ${number}`,
  chosen: (number: number) => `Image ${number}: what should I do with it?`,
  drawMissing: (count: number) => (count === 1 ? 'Draw the missing one' : `Draw the missing ${count}`),
  cancel: 'Cancel',
  canceled: 'Canceled. Nothing was spent.',
  tooLateToCancel: 'It’s too late to cancel: this isn’t waiting any more.',
  edit: 'Edit',
  toVideo: 'To video',
  sameSeed: 'Same seed again',
  newSeed: 'New seed',
  remove: 'Delete',
  notAllDeleted: 'I couldn’t delete all of it. Try again, or ask a moderator to delete the rest.',
  confirmRemove: { question: 'Delete this for everyone? You can’t undo this.', yes: 'Delete', no: 'Cancel' },

  /** `/privacy`. */
  privacy: {
    title: '**What I keep about you**',
    kept: (historyDays: number, promptDays: number) => [
      `- Conversations: what you wrote to me and what I answered, until nobody has gone on with them for ${daysOf(historyDays)}.`,
      `- Commands: what you gave them, for ${daysOf(Math.max(90, historyDays))}, so that their buttons work.`,
      promptDays === 0
        ? '- Credits: who used how many, when, where and for what, without what you wrote.'
        : `- Credits: who used how many, when, where and for what. Administrators here chose that I keep what you ask for in channels with it, for ${daysOf(promptDays)}, and can read it.`,
      '- Your defaults (`/me`) until you undo them, and your votes on answers for 90 days.',
    ],
    sent: 'What you give me goes to the service that makes my answers, voices, images and videos. What you delete in a chat, I forget.',
    policy: 'Privacy policy',
    terms: 'Terms of service',
    export: 'Export my data',
    exported: 'Your commands, answers, credits, defaults and votes.',
    tooMuch: (most: string) =>
      `Your data is more than fits into one file (${most}). Whoever runs me can give it to you.`,
    erase: 'Delete my data',
    confirm:
      'Delete what I keep about you? The buttons under your results stop working, and your name is taken off the credits you used. My messages stay: delete them first, with *Delete* under them. You can’t undo this.',
    erased:
      'Deleted. What’s still under way follows once it’s done. Credits you used today keep your id until tomorrow, for the limits here.',
  },
  /** `/me`. */
  me: {
    title: '**Your defaults**',
    chosen: (label: string, value: string) => `- ${label}: ${value}`,
    inherited: (label: string, value: string) => `- ${label}: not set; ${value} here`,
    hint: 'They apply only to you, in every channel, unless you type something else. `inherit` undoes one.',
    change: 'Change',
    changed: 'Saved.',
  },
  /** Under and around private answers. */
  sharing: {
    share: 'Share here',
    shared: 'Shared',
    done: 'Shared.',
    already: 'You’ve already shared this.',
    gone: 'This isn’t available any more, so it can’t be shared.',
    questionDeleted: 'You deleted what you asked, so the answer can’t be shared.',
    notThere: 'You can’t post in that channel right now, so this can’t be shared there.',
    deleted: 'This was deleted there while it was being shared.',
    lost: 'I couldn’t share all of this, so I took it back. If you still see part of it there, I can’t remove that.',
    sharedBy: (name: string) => `-# Shared by ${name}`,
  },
  /** The channel where administrators see what people do with the bot. */
  audit: auditWords.en,
  /** *Report this*, in the menu of a message and under what I made. */
  reporting: {
    this: 'Report this',
    button: 'Report',
    sent: 'Thanks, your report was sent to the people who look after this place.',
    sentLatest:
      'Thanks, your report of the last thing I made for you here was sent to the people who look after this place.',
    already: 'You’ve already reported this.',
    delete: 'Delete it',
    deletedBy: (name: string) => `Deleted by ${name}`,
    isDeleted: 'Deleted',
    deleted: 'I deleted it.',
    alreadyDeleted: 'It has been deleted already.',
    moderatorsOnly: 'Only people who can delete messages there, or change my settings, can do that.',
    tooMany: 'You’ve sent a lot of reports today. Try again tomorrow, or tell an administrator.',
    unknown:
      'I can only pass on reports of what I made in the last 90 days. To report one of my messages, choose *Report this* in its menu.',
    nobody:
      'I can’t reach anybody here right now. I’ll keep trying for a week, but please tell an administrator, too.',
  },
  notWriting: 'This answer isn’t being written any more, so there’s nothing to stop.',
  machineNote: '-# Made with AI',
  firstContact: '-# I’m an AI assistant, not a person, and I can be wrong.',
  onlyBots:
    'Only bots have talked to me here for a while, so I’m stopping. I’ll answer them again once a person asks me something.',
  stopUnheard:
    'I couldn’t stop this answer: the process that was writing it isn’t responding. If it’s gone, the answer will be marked as interrupted in a moment.',
  thinking: 'Thinking…',
  waitingTurn: 'I’m still answering here. Yours comes next.',
  waitingPlace: (place: number) => `It’s busy. You’re number ${place} in the queue.`,
  endings: {
    stopped: '*Stopped.*',
    interrupted: '*Interrupted by a restart.*',
    cutOff: '*The answer was cut off here.*',
    tooLong: '*The answer reached its length limit here.*',
    filtered: '*The service ended the answer here.*',
  },
  /** Instead of an answer, or below what passed of it. */
  withheld: {
    word: '⚠️ I can’t show this answer: it has a word that’s blocked here.',
    flagged: (categories: readonly string[]) =>
      `⚠️ I can’t show this answer: it was flagged${categories.length > 0 ? ` as ${categories.join(', ')}` : ''}.`,
    unchecked: (hasBegun: boolean) =>
      `⚠️ I can’t check ${hasBegun ? 'the rest of ' : ''}this answer right now, so I can’t show it. Try again in a minute.`,
  },
  /** Asked for a person who only quotes something. */
  quotedPrompt: 'Please respond to what’s quoted.',
  continuePrompt: 'Continue from where you stopped.',
  emptyAnswer: '*The answer was empty.*',
  fresh: 'New conversation started. I’ve forgotten what was said here before.',
  freshPrivately:
    'I’ve forgotten your private conversation here. The one you share with others here stays: only moderators can reset it.',
  sharedHere:
    'People share the conversation here, so only moderators can reset it. For one of your own, use `/ask thread:true` or write to me directly.',
  threadNotOpened: 'I couldn’t open a thread under your answer. To go on, reply to it.',
  noThreadHere: (permission: string | undefined) =>
    permission === undefined
      ? 'I couldn’t open a thread here because I’m not a member, so this is part of the conversation here.'
      : `I couldn’t open a thread here, so this is part of the conversation here. I need this permission: ${permission}.`,

  /** Posted with a voice clip whose text was blocked. */
  spoken: 'Here’s your clip. Its text isn’t shown because it was blocked.',
  drawing: 'Drawing…',
  drawingFor: (elapsed: string, howFar: string | undefined) =>
    howFar ? `Drawing… ${howFar}, ${elapsed}` : `Drawing… ${elapsed}`,
  madeOf: (made: number, count: number) => `${made} of ${count} ready`,
  someMissing: (missing: number, count: number) =>
    `${missing} of ${count} images ${missing === 1 ? 'is' : 'are'} missing.`,
  filming: 'Rendering…',
  filmingFor: (elapsed: string, percent: string | undefined) =>
    percent ? `Rendering… ${percent}, ${elapsed}` : `Rendering… ${elapsed}`,
  takesLong: (elapsed: string) =>
    `This is taking much longer than usual (${elapsed}). I’ll keep checking and post it here when it’s done.`,
  imagesReady: (count: number): string => (count === 1 ? 'Your image is ready.' : 'Your images are ready.'),
  imagesFailed: (count: number): string =>
    count === 1 ? 'There’s a problem with your image.' : 'There’s a problem with your images.',
  filmed: 'Rendered.',
  notFilmed: 'Rendering failed.',
  videoAsked: (about: string, credits: number, isInThread: boolean) =>
    `${about}\n-# ${creditsInWords(credits, 'en')} credits. I’ll post it ${isInThread ? 'in the thread below' : 'here'} when it’s ready.`,
  videoThere: (about: string, link: string | undefined) =>
    `${about}\n-# ${link === undefined ? 'Ready, in the thread below.' : `Ready: ${link}`}`,
  tooLargeHere: (size: string, limit: string | undefined) =>
    `The file is ${size}, ${limit === undefined ? 'which is too large to post here' : `and at most ${limit} can be posted here`}. You can get it at this link for a while:`,
  postedBelow: 'Posted below.',
  postedInChannel: (link: string | undefined): string =>
    `I couldn’t post the rest here, so the whole answer is in the channel${link === undefined ? '.' : `: ${link}`}`,
  ...directWords.en,
  either: eitherWords.en,
  ...messageWords.en,
  answerAsFile: 'The whole answer',
  /** What a private render's message says when Discord lets nobody change it any more. */
  movesDirectly: {
    goesOn: 'This takes longer, so I’ll send it to you as a direct message.',
    isKept:
      'This takes longer, and I can’t send you direct messages. Once it’s ready, `/renders` shows it to you for a week. Or allow direct messages from this server’s members.',
  },
  showNumbered: (number: number) => `Show ${number}`,
  /** In a list of renders, by its number in the list. */
  held: (number: number) => `· #${number}, ready, but I couldn’t send it to you`,
  nothingHeld: 'This has been delivered already, or isn’t available any more.',
  notPostedYet: {
    here: 'This is ready, but I can’t post it here right now. I’ll keep trying.',
    directly: 'What you asked for is ready, but I can’t post it in that channel right now. I’ll keep trying.',
  },
  postedNowhere:
    'This is finished, but I couldn’t post it here or send it to you directly. I may not be allowed to post files or messages.',
  fetched: 'I couldn’t post this here, so I showed it only to the person who asked.',
  keptForYou:
    'I couldn’t post this here or send it to you directly. I’ll keep trying for a week; until then `/renders` shows it to you.',
  tooLargeAnywhere: (size: number, limit: number | undefined): string =>
    limit === undefined
      ? `This is finished, but the file (${bytesInWords(size)}) is too large to post here.`
      : `This is finished, but the file (${bytesInWords(size)}) is too large. At most ${bytesInWords(limit)} can be posted here.`,
  tooLargeAs: (asked: string, given: string): string =>
    `-# Too large to post here as ${asked}, so this is ${given}.`,
  blockedHere: (sentDirectly: boolean): string =>
    sentDirectly
      ? 'My answer was blocked by AutoMod here, so I sent it as a direct message to the person who asked.'
      : 'My answer was blocked by AutoMod here, and I couldn’t send it as a direct message.',
  linkOnly: 'The file can’t be posted here. You can get it at this link for a while:',
  noticeUncertain:
    'I was interrupted while sending this request, so I don’t know whether credits were spent. I didn’t send it again. Click the button if you want me to.',
  noRenders: 'Nothing is being rendered here.',
  renderLine: (kind: 'image' | 'video' | 'answer' | 'clip', about: string, who: string, since: string) =>
    `- ${{ image: 'Image', video: 'Video', answer: 'Answer', clip: 'Clip' }[kind]}: ${about} (${who}, for ${since})`,
  /** Marks a line of the list of what's in progress. */
  queued: (number: number) => `· waiting, #${number}`,
  cancelNumbered: (number: number) => `Cancel #${number}`,
  interrupted: (about: string) => `⚠️ I was interrupted before ${about ? `“${about}”` : 'this'} was done.`,

  errors: {
    database: 'I can’t save anything right now. Please try again in a minute.',
    unexpected: 'Something went wrong on my side. The details are in the log.',
    unavailable: 'The service isn’t available right now. The person who runs this bot has been notified.',
    notFound: 'The service can’t find this any more.',
    refused: (reason: string | undefined) =>
      reason
        ? `The service didn’t accept this, and nothing was spent: ${reason}`
        : 'The service didn’t accept this. Nothing was spent.',
    rateLimit: 'The service is getting too many requests right now. Please try again in a minute.',
    queueFull: 'Too many requests are waiting. Please try again in a minute; nothing was spent.',
    server: 'The service isn’t working right now.',
    serverMayCharge: 'The service failed. It may have charged for this.',
    connection: 'The service can’t be reached right now.',
    connectionMayCharge: 'The connection to the service was lost. It may have charged for this.',
    timeout: 'The service took too long to answer.',
    timeoutMayCharge: 'The service took too long to answer. It may have charged for this.',
    truncated: 'The answer was cut off.',
    renderFailed: (reason: string | undefined) =>
      reason
        ? `The service couldn’t create this, and nothing was spent: ${reason}`
        : 'The service couldn’t create this. Nothing was spent.',
    renderDeadline: (minutes: number) =>
      `It still wasn’t ready after ${minutes >= 120 ? `${Math.round(minutes / 60)} hours` : `${minutes} minutes`}, so I stopped checking.`,
    renderUnanswered: (days: number) =>
      `The service hasn’t reported on this for ${days} days, so I stopped checking. It may have charged for this.`,
    nothingSpent: (why: string) => `${why} Nothing was spent.`,
    mayCharge: (why: string) => `${why} The service may have charged for this.`,
    spent: (why: string) => `${why} Credits were spent.`,
    resultGone: 'The result is no longer available.',
    imagesLost:
      'The images for this were lost on my side before I could send them. Nothing was spent. Please try again.',
    answerUnderWay: 'A new version is already being written here.',
    versionUnderWay: 'A new version is already being drawn here.',
    wrongKind: {
      image: 'The service didn’t return an image. It may have charged for this.',
      video: 'The service didn’t return a video. It may have charged for this.',
    },
    noPermission: (permission: string) =>
      `I need this permission here: ${permission}. An administrator can grant it.`,
    notAllowed: 'I’m not allowed to do this. An administrator can change that.',
    notMember: 'I’m not in this channel. Invite me first.',
    tooLarge: (limit: string | undefined) =>
      `The file is too large to post here${limit === undefined ? '' : ` (at most ${limit})`}.`,
    contentRefused: (reason: string) =>
      reason ? `This was blocked here: ${reason}.` : 'This was blocked here.',
    fileNotAllowed: 'Files of this kind aren’t allowed here.',
    expired: 'This took too long, so I can’t reply here any more.',
    gone: 'The channel or thread no longer exists.',
    unreachable: 'The platform can’t be reached right now.',
    fileGone: (name: string) => `I can’t open \`${name}\`. It may be deleted, or not shared with me.`,
    notAnImage: (name: string) =>
      `\`${name}\` isn’t an image I can read. Use a PNG, JPEG, WebP, GIF, AVIF or HEIC.`,
    tooManyPixels: (name: string, megapixels: number) =>
      `\`${name}\` has more than ${megapixels} megapixels. Use a smaller image.`,
  },

  spending: spendingEn('workspace'),

  help: {
    title: '**What I can do here**',
    commandLine: (name: string, description: string) => `- **/${name}** — ${description}`,
    mention: 'Mention me or send me a direct message: it works like `/ask`.',
    plain: 'What you type without a command works like `/ask`.',
    byWords: 'A message can also begin with a command, without the slash: `imagine a cat`.',
    fromMessage: (labels: readonly string[]) =>
      `In the menu of any message: ${labels.map((label) => `**${label}**`).join(', ')}.`,
    options: 'Options',
    option: (names: string, about: string, facts: readonly string[]) =>
      `- ${names}: ${about}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`,
    files: { image: 'image file', video: 'video file' },
    required: 'required',
    range: (min: number, max: number) => `${min} to ${max}`,
    characters: (limit: number) => `at most ${limit} characters`,
    bytes: (limit: number) => `at most ${limit} bytes of UTF-8`,
    addresses: (limit: number) => `at most ${limit}`,
    more: (command: string) => `Use \`/help command:${command}\` to learn more about one.`,
  },
};

/** The texts of one language. */
export type Words = typeof en;
