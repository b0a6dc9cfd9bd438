/** Languages troupe speaks to people in. */
export const locales = ['en', 'zh-CN'] as const;
export type Locale = (typeof locales)[number];

/** The same words in every language. */
export type Localized = Readonly<Record<Locale, string>>;

/** The language for a platform's or browser's tag (`zh-TW`, `zh_CN`, `en-GB`, …); English where it is another. */
export function localeOf(tag: string | undefined): Locale {
  return tag?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

/** The tags of languages whose short sentences may be in Chinese characters only. */
const alsoInHan = /^(ja|ko)\b/i;

/**
 * The language that a text shows by its script; undefined where it could be any. Chinese has neither kana nor hangul, and a
 * few of its characters in another language's sentence don't make it Chinese. `around` is the tag of the language that
 * people use there, if that's known.
 */
export function localeOfText(text: string, around = ''): Locale | undefined {
  const letters = count(text, /\p{L}/gu);
  if (
    letters === 0 ||
    alsoInHan.test(around) ||
    /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
  )
    return undefined;
  return count(text, /\p{Script=Han}/gu) * 3 >= letters ? 'zh-CN' : undefined;
}

function count(text: string, letter: RegExp): number {
  return text.match(letter)?.length ?? 0;
}
