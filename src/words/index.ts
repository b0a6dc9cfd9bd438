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

/**
 * The bot’s texts in a language; with `platform`, in that platform’s terms (a workspace is a server on
 * Discord).
 */
export function words(locale: Locale, platform?: PlatformName): Words {
  return platform === 'discord' ? onDiscord[locale] : languages[locale];
}

/** Puts a command’s description into a platform’s terms. */
export function inTermsOf(platform: PlatformName, text: string): string {
  return platform === 'discord'
    ? text.replaceAll('workspace', 'server').replaceAll('工作区', '服务器')
    : text;
}
