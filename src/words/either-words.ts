import type { Locale, PaidCommandName } from '../port/index.ts';

/** What is said where a message could be a paid command or a question. */
interface EitherWords {
  /** Which of them is it? */
  readonly text: (command: string) => string;
  /** The button for the command: what it does, and its price. */
  readonly order: (command: string, cost: string) => string;
  /** The button for the question. */
  readonly instead: string;
  /** What stands there once that was pressed. */
  readonly saidInstead: string;
}

type Talent = Exclude<PaidCommandName, 'ask'>;
const isTalent = (command: string): command is Talent => Object.hasOwn(orders.en, command);

/** What the buttons for the commands say, without the price. */
export const orders: Readonly<Record<Locale, Readonly<Record<Talent, string>>>> = {
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

const either: Readonly<Record<Locale, EitherWords>> = {
  en: {
    text: (command) => of(texts, 'en', command),
    order: (command, cost) => `${of(orders, 'en', command)} · ${cost} credits`,
    instead: 'Just answer',
    saidInstead: 'Just answering.',
  },
  'zh-CN': {
    text: (command) => of(texts, 'zh-CN', command),
    order: (command, cost) => `${of(orders, 'zh-CN', command)} · ${cost} 积分`,
    instead: '直接回答',
    saidInstead: '直接回答。',
  },
};

/** The words of a language. */
export function eitherWords(locale: Locale): { readonly either: EitherWords } {
  return { either: either[locale] };
}
