export type VoiceLanguage = 'zh-CN' | 'en';

/** A voice the service is known to have; the list operation may return more. */
export interface KnownVoice {
  readonly id: string;
  /** What the voice can narrate in, its default language first. */
  readonly languages: readonly VoiceLanguage[];
}

/** The twelve known voices (description, section 2). */
export const knownVoices: readonly KnownVoice[] = [
  { id: 'zh_female_vv_uranus_bigtts', languages: ['zh-CN', 'en'] },
  { id: 'saturn_zh_female_cancan_tob', languages: ['zh-CN'] },
  { id: 'saturn_zh_female_keainvsheng_tob', languages: ['zh-CN'] },
  { id: 'saturn_zh_female_tiaopigongzhu_tob', languages: ['zh-CN'] },
  { id: 'saturn_zh_male_shuanglangshaonian_tob', languages: ['zh-CN'] },
  { id: 'saturn_zh_male_tiancaitongzhuo_tob', languages: ['zh-CN'] },
  { id: 'zh_female_xiaohe_uranus_bigtts', languages: ['zh-CN'] },
  { id: 'zh_male_m191_uranus_bigtts', languages: ['zh-CN'] },
  { id: 'zh_male_taocheng_uranus_bigtts', languages: ['zh-CN'] },
  { id: 'en_male_tim_uranus_bigtts', languages: ['en'] },
  { id: 'en_female_dacey_uranus_bigtts', languages: ['en'] },
  { id: 'en_female_stokie_uranus_bigtts', languages: ['en'] },
];
