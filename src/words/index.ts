import type { Locale } from '../port/index.ts';
import { en, type Words } from './en.ts';
import { zhCn } from './zh-cn.ts';

export type { Words } from './en.ts';
export * from './figures.ts';

const languages: Record<Locale, Words> = { en, 'zh-CN': zhCn };

/** What troupe says in a language. */
export function words(locale: Locale): Words {
  return languages[locale];
}
