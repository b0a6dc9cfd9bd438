import type { Locale } from '../../port/index.ts';
import type { Voice } from '../../service/index.ts';
import { knownVoices, type VoiceGender } from '../../service-rules/voices.ts';

const languageNames: Readonly<Record<string, Readonly<Record<Locale, string>>>> = {
  'zh-CN': { en: 'Chinese', 'zh-CN': '中文' },
  en: { en: 'English', 'zh-CN': '英文' },
};

const genderNames: Readonly<Record<VoiceGender, Readonly<Record<Locale, string>>>> = {
  female: { en: 'female', 'zh-CN': '女声' },
  male: { en: 'male', 'zh-CN': '男声' },
};

const known = new Map(knownVoices.map((voice) => [voice.id, voice]));

/** What a language is called in another; its tag where that isn't known. */
export function languageName(tag: string, locale: Locale): string {
  return languageNames[tag]?.[locale] ?? tag;
}

/** What people know of a voice, without its id: `Vivi · female · Chinese, English`. Empty where nothing is known. */
export function describeVoice(
  { id, name, gender = known.get(id)?.gender, languages }: Voice,
  locale: Locale,
): string {
  const spoken = languages.map((tag) => languageName(tag, locale)).join(locale === 'zh-CN' ? '、' : ', ');
  return [plain(name) ?? known.get(id)?.name[locale], gender && genderNames[gender][locale], spoken]
    .filter(Boolean)
    .join(' · ');
}

/** A name as the service gives it, in one line, without what Markdown would take as its own. */
function plain(name: string | undefined): string | undefined {
  const words = name?.replace(/[`*_~|<>[\]()\\]/gu, '').replace(/[\s\p{Cc}]+/gu, ' ');
  return words?.trim() || undefined;
}
