import type { Locale, PlatformName } from '../port/index.ts';
import { en, type Words } from './en.ts';
import { spendingEn } from './en-spending.ts';
import { zhCn } from './zh-cn.ts';
import { spendingZhCn } from './zh-cn-spending.ts';

export type { Words } from './en.ts';
export * from './figures.ts';

const languages: Record<Locale, Words> = { en, 'zh-CN': zhCn };

/** On Discord a workspace is a server. */
const onDiscord: Record<Locale, Words> = {
  en: { ...en, spending: spendingEn('server') },
  'zh-CN': { ...zhCn, spending: spendingZhCn('服务器') },
};

/** What troupe says in a language, in the terms of a platform where that is told. */
export function words(locale: Locale, platform?: PlatformName): Words {
  return platform === 'discord' ? onDiscord[locale] : languages[locale];
}

/** What a command says of itself, in the terms of a platform. */
export function inTermsOf(platform: PlatformName, text: string): string {
  return platform === 'discord'
    ? text.replaceAll('workspace', 'server').replaceAll('工作区', '服务器')
    : text;
}
