import { randomInt } from 'node:crypto';
import type { PricedVideo } from '../../credits/index.ts';
import type { VideoRequest } from '../../service/index.ts';
import type {
  VideoOperation,
  VideoQuality,
  VideoRatio,
  VideoResolution,
} from '../../service-rules/limits.ts';
import { filesOf, publicAddresses } from './references.ts';

/** The largest seed that can be chosen: the largest signed 32-bit integer. */
export const largestSeed = 2_147_483_647;

/** What `/video` is given, besides its files: those are looked up by their names. */
export interface VideoValues {
  readonly prompt: string;
  readonly duration?: number;
  readonly resolution?: VideoResolution;
  readonly quality?: VideoQuality;
  readonly ratio?: VideoRatio;
  readonly generate_audio?: boolean;
  readonly operation?: VideoOperation;
  readonly seed?: number;
  readonly image_urls?: readonly string[];
  readonly video_urls?: readonly string[];
}

/** The values that decide the price, before the files' URLs are checked. */
export function pricedVideo(values: VideoValues): PricedVideo {
  const { duration, resolution, quality, operation, video_urls = [] } = values;
  const files = filesOf(values, 'video').map(([, { source }]) => source);
  return { duration, resolution, quality, operation, reference_video_urls: [...files, ...video_urls] };
}

/** The request for a video. Without a seed it gets a random one, so that the same video can be made again. */
export function videoRequest(values: VideoValues): VideoRequest {
  const { prompt, duration, resolution, quality, ratio, generate_audio, operation } = values;
  const images = [...publicAddresses(values, 'image', 'image_urls'), ...(values.image_urls ?? [])];
  const videos = [...publicAddresses(values, 'video', 'video_urls'), ...(values.video_urls ?? [])];
  return {
    prompt,
    duration,
    resolution,
    quality,
    ratio,
    generate_audio,
    operation,
    seed: values.seed ?? randomInt(largestSeed),
    ...(images.length > 0 && { reference_image_urls: images }),
    ...(videos.length > 0 && { reference_video_urls: videos }),
  };
}
