/** Languages troupe speaks to people in. */
export const locales = ['en', 'zh-CN'] as const;
export type Locale = (typeof locales)[number];

/** The same words in every language. */
export type Localized = Readonly<Record<Locale, string>>;

/** The language for a platform's or browser's tag (`zh-TW`, `zh_CN`, `en-GB`, …); English where it is another. */
export function localeOf(tag: string | undefined): Locale {
  return tag?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}

/**
 * The language that a text shows by its script; undefined where it could be any. Chinese has neither kana nor hangul, and a
 * few of its characters in another language's sentence don't make it Chinese.
 */
export function localeOfText(text: string): Locale | undefined {
  const letters = count(text, /\p{L}/gu);
  if (letters === 0 || /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text))
    return undefined;
  return count(text, /\p{Script=Han}/gu) * 3 >= letters ? 'zh-CN' : undefined;
}

function count(text: string, letter: RegExp): number {
  return text.match(letter)?.length ?? 0;
}
