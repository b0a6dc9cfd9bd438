import type { ChatUsage } from '../service/index.ts';
import {
  image,
  type VideoOperation,
  type VideoQuality,
  type VideoResolution,
  video,
} from '../service-rules/limits.ts';
import type { ChatModel } from '../service-rules/models.ts';
import {
  type ChatTokenKind,
  type CreditRange,
  chatCreditsPerMillionTokens,
  imageCredits,
  speechCreditsPerSecond,
  type VideoPriceMode,
  videoCreditsPerSecond,
} from '../service-rules/prices.ts';

/** A price that is one figure. */
export function exactly(credits: number): CreditRange {
  return { low: credits, high: credits };
}

/** Credits of a chat answer by its tokens: a range, since the rate depends on the request (description, section 8). */
export function chatCredits(model: ChatModel, usage: ChatUsage): CreditRange {
  const tokens: Record<ChatTokenKind, number> = {
    input: usage.inputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheCreation: usage.cacheCreationTokens,
    output: usage.outputTokens,
  };
  const at = (end: 'low' | 'high') => {
    const rates = Object.entries(chatCreditsPerMillionTokens[model]) as [ChatTokenKind, CreditRange][];
    return rates.reduce((sum, [kind, rate]) => sum + tokens[kind] * rate[end], 0) / 1e6;
  };
  return { low: at('low'), high: at('high') };
}

/**
 * Credits of a chat answer whose tokens are only estimated. How much of the prompt comes from the service's cache isn't
 * known then, so the range goes from all of it read from the cache to all of it written to it.
 */
export function chatCreditsEstimated(model: ChatModel, prompt: number, output: number): CreditRange {
  const rates = chatCreditsPerMillionTokens[model];
  return {
    low: (prompt * rates.cacheRead.low + output * rates.output.low) / 1e6,
    high: (prompt * rates.cacheCreation.high + output * rates.output.high) / 1e6,
  };
}

/** Credits of so many seconds of speech: whole seconds, rounded up, at least one (description, section 8). */
export function speechCredits(seconds: number): number {
  return Math.max(1, Math.ceil(seconds)) * speechCreditsPerSecond;
}

/** Credits of an image: the same for every size and reference. */
export const creditsOfImage = imageCredits;

/** The fields of a video request that decide its price; missing ones have the service's defaults. */
export interface PricedVideo {
  readonly duration?: number | undefined;
  readonly resolution?: VideoResolution | undefined;
  readonly quality?: VideoQuality | undefined;
  readonly operation?: VideoOperation | undefined;
  readonly reference_video_urls?: readonly string[] | undefined;
}

/** The row of the price table for a video: editing costs as much as generating from a reference video. */
function videoPriceMode(request: PricedVideo): VideoPriceMode {
  const fromVideo = request.operation === 'edit' || Boolean(request.reference_video_urls?.length);
  return fromVideo ? 'reference' : (request.quality ?? video.defaultQuality);
}

/** Credits of a video: exact, by mode, resolution and length. */
export function videoCredits(request: PricedVideo): number {
  const perSecond = videoCreditsPerSecond[videoPriceMode(request)];
  return (
    perSecond[request.resolution ?? video.defaultResolution] * (request.duration ?? video.duration.default)
  );
}

/** What the ledger has for a model where the service has none: what decided the price or the size. */
export const namedBy = {
  image: (size: string | undefined) => `image ${size ?? image.defaultSize}`,
  video: (request: PricedVideo) =>
    `video ${videoPriceMode(request)} ${request.resolution ?? video.defaultResolution}`,
};
