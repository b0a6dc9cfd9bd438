import { knownVoices, type VoiceLanguage } from '../../../service-rules/voices.ts';

/** How one of the service's voices is imitated. */
export interface VoiceProfile {
  /** Name of the engine's voice variant: the timbre. */
  readonly variant: string;
  /** 0 to 99; 50 is the variant's own. */
  readonly pitch: number;
  /** 0 (monotone) to 99 (lively). */
  readonly range: number;
  /** Which English the voice speaks. */
  readonly english: 'en-us' | 'en-gb-x-rp';
}

const profiles: Readonly<Record<string, VoiceProfile>> = {
  zh_female_vv_uranus_bigtts: { variant: 'f3', pitch: 50, range: 70, english: 'en-us' },
  saturn_zh_female_cancan_tob: { variant: 'linda', pitch: 50, range: 75, english: 'en-us' },
  saturn_zh_female_keainvsheng_tob: { variant: 'f5', pitch: 75, range: 80, english: 'en-us' },
  saturn_zh_female_tiaopigongzhu_tob: { variant: 'Annie', pitch: 62, range: 90, english: 'en-us' },
  saturn_zh_male_shuanglangshaonian_tob: { variant: 'm3', pitch: 64, range: 75, english: 'en-us' },
  saturn_zh_male_tiancaitongzhuo_tob: { variant: 'm7', pitch: 80, range: 80, english: 'en-us' },
  zh_female_xiaohe_uranus_bigtts: { variant: 'f2', pitch: 45, range: 65, english: 'en-us' },
  zh_male_m191_uranus_bigtts: { variant: 'm1', pitch: 42, range: 60, english: 'en-us' },
  zh_male_taocheng_uranus_bigtts: { variant: 'm7', pitch: 50, range: 70, english: 'en-us' },
  en_male_tim_uranus_bigtts: { variant: 'm3', pitch: 50, range: 60, english: 'en-us' },
  en_female_dacey_uranus_bigtts: { variant: 'f2', pitch: 52, range: 60, english: 'en-us' },
  en_female_stokie_uranus_bigtts: { variant: 'f4', pitch: 58, range: 65, english: 'en-gb-x-rp' },
};

/** A voice together with what it may be asked to narrate in. */
export interface Narrator {
  readonly profile: VoiceProfile;
  readonly languages: readonly VoiceLanguage[];
  readonly language: VoiceLanguage;
}

/**
 * The narrator for a voice id and a wished language: the wish counts where the voice supports it, otherwise
 * the voice's default language does (service description, POST /audio/speech).
 * @throws RangeError for an id that is not among the known voices.
 */
export function narrator(voice: string, wishedLanguage?: string): Narrator {
  const known = knownVoices.find(({ id }) => id === voice);
  const profile = profiles[voice];
  const fallback = known?.languages[0];
  if (!known || !profile || !fallback) throw new RangeError(`voice: '${voice}' is not a known voice`);
  const primary = wishedLanguage?.toLowerCase().split('-')[0];
  const wished = known.languages.find((language) => language.split('-')[0] === primary);
  return { profile, languages: known.languages, language: wished ?? fallback };
}
