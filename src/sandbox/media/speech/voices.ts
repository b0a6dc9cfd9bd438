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

const profile = (
  variant: string,
  pitch: number,
  range: number,
  english: VoiceProfile['english'] = 'en-us',
): VoiceProfile => ({ variant, pitch, range, english });

const profiles: Readonly<Record<string, VoiceProfile>> = {
  zh_female_vv_uranus_bigtts: profile('f3', 50, 70),
  saturn_zh_female_cancan_tob: profile('linda', 50, 75),
  saturn_zh_female_keainvsheng_tob: profile('f5', 75, 80),
  saturn_zh_female_tiaopigongzhu_tob: profile('Annie', 62, 90),
  saturn_zh_male_shuanglangshaonian_tob: profile('m3', 64, 75),
  saturn_zh_male_tiancaitongzhuo_tob: profile('m7', 80, 80),
  zh_female_xiaohe_uranus_bigtts: profile('f2', 45, 65),
  zh_male_m191_uranus_bigtts: profile('m1', 42, 60),
  zh_male_taocheng_uranus_bigtts: profile('m7', 50, 70),
  en_male_tim_uranus_bigtts: profile('m3', 50, 60),
  en_female_dacey_uranus_bigtts: profile('f2', 52, 60),
  en_female_stokie_uranus_bigtts: profile('f4', 58, 65, 'en-gb-x-rp'),
};

/** A voice together with what it may be asked to narrate in. */
export interface Narrator {
  readonly profile: VoiceProfile;
  readonly languages: readonly VoiceLanguage[];
  readonly language: VoiceLanguage;
}

/**
 * The language a voice speaks when asked for one: the wish counts where the voice supports it, otherwise the voice's
 * default does (service description, POST /audio/speech).
 */
export function spokenLanguage(languages: readonly VoiceLanguage[], wished = ''): VoiceLanguage {
  const primary = (tag: string) => tag.toLowerCase().split(/[-_]/)[0];
  return languages.find((one) => primary(one) === primary(wished)) ?? languages[0] ?? 'en';
}

/** The narrator of a voice id. @throws RangeError for an id that is not among the known voices */
export function narrator(voice: string, wishedLanguage?: string): Narrator {
  const known = knownVoices.find(({ id }) => id === voice);
  const found = profiles[voice];
  if (!known || !found) throw new RangeError(`voice: '${voice}' is not a known voice`);
  const { languages } = known;
  return { profile: found, languages, language: spokenLanguage(languages, wishedLanguage) };
}
