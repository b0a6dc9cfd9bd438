/** Every limit, choice and default of the service's description (sections 4 and 8), each written once. */

export const speech = {
  maxInputBytes: 16_384,
  formats: ['mp3', 'wav', 'opus', 'ogg'],
  defaultFormat: 'mp3',
  /** A tag such as `zh-CN` or `en`; those of the known voices by what people call them, too. */
  language: {
    expression: /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/,
    allowed: 'zh-CN, en, …',
    names: {
      ...{
        chinese: 'zh-CN',
        mandarin: 'zh-CN',
        中文: 'zh-CN',
        汉语: 'zh-CN',
        普通话: 'zh-CN',
        国语: 'zh-CN',
      },
      ...{ english: 'en', 英文: 'en', 英语: 'en' },
    },
  },
  speed: { min: 0.5, max: 2, default: 1 },
} as const;
export type SpeechFormat = (typeof speech.formats)[number];

export const image = {
  maxPromptCharacters: 20_000,
  /** Named sizes; a supported `WIDTHxHEIGHT` is allowed beside them. */
  sizes: ['2k', '3k', '4k'],
  defaultSize: '2k',
  sizePattern: /^(?:[234]k|[1-9]\d{1,4}x[1-9]\d{1,4})$/,
  maxReferences: 4,
  responseFormats: ['url', 'b64_json'],
  defaultResponseFormat: 'b64_json',
} as const;
export type ImageResponseFormat = (typeof image.responseFormats)[number];

export const video = {
  duration: { min: 4, max: 15, default: 5 },
  resolutions: ['480p', '720p', '1080p'],
  defaultResolution: '720p',
  qualities: ['balanced', 'quality'],
  defaultQuality: 'balanced',
  ratios: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
  defaultRatio: '16:9',
  operations: ['generate', 'edit'],
  defaultOperation: 'generate',
  maxReferenceImages: 9,
  maxReferenceVideos: 3,
} as const;
export type VideoResolution = (typeof video.resolutions)[number];
export type VideoQuality = (typeof video.qualities)[number];
export type VideoRatio = (typeof video.ratios)[number];
export type VideoOperation = (typeof video.operations)[number];

/** Requests per minute and key, by group of operations. */
export const ratesPerMinute = { chat: 120, voice: 60, images: 30, videos: 10, status: 120 } as const;
export type RateGroup = keyof typeof ratesPerMinute;
