export type VoiceLanguage = 'zh-CN' | 'en';
export type VoiceGender = 'female' | 'male';

/** A voice the service is known to have; the list operation may return more. */
export interface KnownVoice {
  readonly id: string;
  /** The languages of the voice, its default first. */
  readonly languages: readonly VoiceLanguage[];
  readonly gender: VoiceGender;
  /**
   * What people call it. The description leaves the display names out: these are the names under which the same ids are
   * public elsewhere, translated. A name that the service's own list gives is shown instead.
   */
  readonly name: Readonly<Record<VoiceLanguage, string>>;
}

const voice = (
  id: string,
  languages: readonly VoiceLanguage[],
  gender: VoiceGender,
  en: string,
  zh = en,
): KnownVoice => ({ id, languages, gender, name: { en, 'zh-CN': zh } });

/** The twelve known voices (description, section 2). */
export const knownVoices: readonly KnownVoice[] = [
  voice('zh_female_vv_uranus_bigtts', ['zh-CN', 'en'], 'female', 'Vivi'),
  voice('saturn_zh_female_cancan_tob', ['zh-CN'], 'female', 'Cancan', '知性灿灿'),
  voice('saturn_zh_female_keainvsheng_tob', ['zh-CN'], 'female', 'Cute Girl', '可爱女生'),
  voice('saturn_zh_female_tiaopigongzhu_tob', ['zh-CN'], 'female', 'Playful Princess', '调皮公主'),
  voice('saturn_zh_male_shuanglangshaonian_tob', ['zh-CN'], 'male', 'Cheerful Boy', '爽朗少年'),
  voice('saturn_zh_male_tiancaitongzhuo_tob', ['zh-CN'], 'male', 'Genius Classmate', '天才同桌'),
  voice('zh_female_xiaohe_uranus_bigtts', ['zh-CN'], 'female', 'Xiaohe', '小何'),
  voice('zh_male_m191_uranus_bigtts', ['zh-CN'], 'male', 'Yunzhou', '云舟'),
  voice('zh_male_taocheng_uranus_bigtts', ['zh-CN'], 'male', 'Xiaotian', '小天'),
  voice('en_male_tim_uranus_bigtts', ['en'], 'male', 'Tim'),
  voice('en_female_dacey_uranus_bigtts', ['en'], 'female', 'Dacey'),
  voice('en_female_stokie_uranus_bigtts', ['en'], 'female', 'Stokie'),
];
