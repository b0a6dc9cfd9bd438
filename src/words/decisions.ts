import type { Decision, Locale, PaidCommandName } from '../port/index.ts';

type Talent = Exclude<PaidCommandName, 'ask'>;
const isTalent = (command: string): command is Talent => Object.hasOwn(orders.en, command);

/** The labels of the buttons for the commands, without the price. */
const orders: Readonly<Record<Locale, Readonly<Record<Talent, string>>>> = {
  en: { imagine: 'Draw it', video: 'Make the video', speak: 'Read it aloud' },
  'zh-CN': { imagine: '画出来', video: '做成视频', speak: '读出来' },
};
const texts: Readonly<Record<Locale, Readonly<Record<Talent, string>>>> = {
  en: {
    imagine: 'Should I draw this, or just answer?',
    video: 'Should I make a video of this, or just answer?',
    speak: 'Should I read this aloud, or just answer?',
  },
  'zh-CN': {
    imagine: '要我画出来，还是直接回答？',
    video: '要我做成视频，还是直接回答？',
    speak: '要我读出来，还是直接回答？',
  },
};

const of = (from: typeof orders, locale: Locale, command: string) =>
  isTalent(command) ? from[locale][command] : `/${command}`;

const en = {
  /** Which of them is it? */
  text: (command: string) => of(texts, 'en', command),
  /** The button for the command: what it does, and its price. */
  order: (command: string, cost: string) => `${of(orders, 'en', command)} · ${cost} credits`,
  /** The button for the question. */
  instead: 'Just answer',
  /** What stands there once that was pressed; `hasFiles`: the message came with some. */
  saidInstead: (hasFiles: boolean): string =>
    hasFiles ? 'Just answering. I can’t look at images or videos.' : 'Just answering.',
};

const zhCn: typeof en = {
  text: (command) => of(texts, 'zh-CN', command),
  order: (command, cost) => `${of(orders, 'zh-CN', command)} · ${cost} 积分`,
  instead: '直接回答',
  saidInstead: (hasFiles) => (hasFiles ? '直接回答。我看不了图片和视频。' : '直接回答。'),
};

/** What is said where a message could be a paid command or a question, by language. */
export const eitherWords: Readonly<Record<Locale, typeof en>> = { en, 'zh-CN': zhCn };

/** The longest text that's looked at, in characters: what's longer says more than a button. */
const longest = 40;

/** What people write instead of pressing a button of a question, in all languages: some write another than they read. */
const said: Readonly<Record<Exclude<Decision['kind'], 'order'>, readonly string[]>> = {
  yes: [
    ...[
      'yes',
      'yes please',
      'yes go ahead',
      'yes do it',
      'yep',
      'yeah',
      'y',
      'sure',
      'ok',
      'okay',
      'go ahead',
      'do it',
    ],
    ...['是', '是的', '好', '好的', '好啊', '可以', '行', '确定', '继续', '是 继续'],
  ],
  no: [
    ...['no', 'no thanks', 'no thank you', 'nope', 'n', 'cancel', 'never mind', 'nevermind', 'don t'],
    ...['不', '不用', '不用了', '不要', '不了', '否', '取消', '算了'],
  ],
  instead: [
    'just answer',
    'just answer it',
    'answer',
    'answer it',
    'just answer please',
    '直接回答',
    '回答',
    '直接回答吧',
  ],
};

/** The same for the command of a button, besides what that says. */
const ordered: Readonly<Record<Talent, readonly string[]>> = {
  imagine: ['draw', 'draw this', 'draw it please', 'yes draw it', '画', '画吧', '画出来吧'],
  video: ['make a video', 'make it a video', 'yes make the video', '做视频', '做成视频吧'],
  speak: ['read it', 'read it out', 'read aloud', '读', '读吧', '念出来'],
};

/** Traditional characters, each with its simplified form: those of the words and sentences that are known here. */
const traditional: Readonly<Record<string, string>> = Object.fromEntries(
  '幫帮 麼么 甚什 會会 幹干 裡里 裏里 說说 讀读 畫画 圖图 視视 頻频 問问 讓让 確确 繼继 續续 來来 您你'
    .split(' ')
    .map((pair) => [...pair]),
);

const decisions = new Map<string, Decision>([
  ...(['yes', 'no', 'instead'] as const).flatMap((kind) =>
    said[kind].map((text) => [text, { kind }] as const),
  ),
  ...(Object.keys(ordered) as Talent[]).flatMap((command) =>
    [...Object.values(orders).map((labels) => plain(labels[command])), ...ordered[command]].map(
      (text) => [text, { kind: 'order', command }] as const,
    ),
  ),
]);

/** What isn't a letter, a digit, a blank or a mark that ends or joins words. */
const sayingMore = /[^\p{L}\p{N}\s.,!'’。，！、…]/u;

/**
 * What a text decides where it's the answer to a question of the bot's; undefined for everything but plain words: “sure?”
 * asks, and a sign or a picture beside a word may say its opposite.
 */
export function decisionIn(text: string): Decision | undefined {
  return text.length > longest || sayingMore.test(text) ? undefined : decisions.get(plain(text));
}

/** A text whose known traditional characters are simplified; polite words are the usual ones. */
export function simplified(text: string): string {
  return text.replace(/\p{Script=Han}/gu, (character) => traditional[character] ?? character);
}

/** The words alone, in small letters. */
function plain(text: string): string {
  return simplified(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
