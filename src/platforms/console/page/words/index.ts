import type { Locale } from '../../../../port/locale.ts';
import { controlEnglish, type ControlWords, english, type PageWords } from './en.ts';
import { chinese, controlChinese } from './zh.ts';

const storageKey = 'troupe.locale';

/** The page's language: the person's choice, else the browser's. */
export const locale: Locale = chosenLocale();

/** The page's texts in its language. */
export const strings: PageWords = locale === 'zh-CN' ? chinese : english;

/** The control room's texts in the page's language. */
export const say: ControlWords = locale === 'zh-CN' ? controlChinese : controlEnglish;

/** Switches the language and reloads the page. */
export function switchLocale(to: Locale): void {
  localStorage.setItem(storageKey, to);
  location.reload();
}

function chosenLocale(): Locale {
  const tag = localStorage.getItem(storageKey) ?? navigator.language;
  return tag.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
}
