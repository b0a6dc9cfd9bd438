import type { VideoOperation, VideoQuality, VideoResolution } from '../spec/limits.ts';
import { video } from '../spec/limits.ts';
import { imageCredits, videoCreditsPerSecond } from '../spec/prices.ts';

/** What of a video request decides its price; absent fields have the service's defaults. */
export interface PricedVideo {
  readonly duration?: number | undefined;
  readonly resolution?: VideoResolution | undefined;
  readonly quality?: VideoQuality | undefined;
  readonly operation?: VideoOperation | undefined;
  readonly reference_video_urls?: readonly string[] | undefined;
}

/** Credits of a video: exact, by mode, resolution and length (service description, section 8). */
export function videoCredits(request: PricedVideo): number {
  const fromVideo = request.operation === 'edit' || Boolean(request.reference_video_urls?.length);
  const mode = fromVideo ? 'reference' : (request.quality ?? video.defaultQuality);
  const perSecond = videoCreditsPerSecond[mode][request.resolution ?? video.defaultResolution];
  return perSecond * (request.duration ?? video.duration.default);
}

/** Credits of an image: exact. */
export const creditsOfImage = imageCredits;
