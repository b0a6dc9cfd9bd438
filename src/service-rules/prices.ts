import type { VideoQuality, VideoResolution } from './limits.ts';
import type { ChatModel } from './models.ts';

/** Lowest and highest credits; equal where the description gives one figure. */
export interface CreditRange {
  readonly low: number;
  readonly high: number;
}

export type ChatTokenKind = 'input' | 'cacheRead' | 'cacheCreation' | 'output';

/** Credits per 1,000,000 tokens (description, section 8). */
export const chatCreditsPerMillionTokens: Record<ChatModel, Record<ChatTokenKind, CreditRange>> = {
  'svc-llm-1.5': {
    input: { low: 20, high: 280 },
    cacheRead: { low: 2, high: 28 },
    cacheCreation: { low: 25, high: 350 },
    output: { low: 120, high: 1260 },
  },
  'svc-llm-1.5-pro': {
    input: { low: 140, high: 1000 },
    cacheRead: { low: 14, high: 100 },
    cacheCreation: { low: 175, high: 1250 },
    output: { low: 840, high: 4500 },
  },
};

/** Credits per estimated second of speech, rounded up to whole seconds, at least one second. */
export const speechCreditsPerSecond = 0.125;

/** Credits per generated image. */
export const imageCredits = 22;

/** `reference`: video editing, or generation from a reference video, in either quality. */
export type VideoPriceMode = VideoQuality | 'reference';

/** Credits per second of video. */
export const videoCreditsPerSecond: Record<VideoPriceMode, Record<VideoResolution, number>> = {
  balanced: { '480p': 37, '720p': 80, '1080p': 248 },
  quality: { '480p': 46, '720p': 100, '1080p': 248 },
  reference: { '480p': 51, '720p': 109, '1080p': 271 },
};

/** The service's operations that cost credits (description, section 8); the ledger and `/usage` call them the same. */
export const paidOperations = ['chat', 'speech', 'image', 'video'] as const;
export type PaidOperation = (typeof paidOperations)[number];
