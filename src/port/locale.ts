/** Languages troupe speaks to people in. */
export const locales = ['en', 'zh-CN'] as const;
export type Locale = (typeof locales)[number];

/** The same words in every language. */
export type Localized = Readonly<Record<Locale, string>>;

/** The language for a platform's or browser's tag (`zh-TW`, `zh_CN`, `en-GB`, …); English where it is another. */
export function localeOf(tag: string | undefined): Locale {
  return tag?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}
