import {
  video,
  type VideoOperation,
  type VideoQuality,
  type VideoRatio,
  type VideoResolution,
} from '../../service-rules/limits.ts';
import type { Context } from '../calls.ts';
import { type Fault, InvalidRequestError } from '../errors.ts';
import type { CallOptions } from '../options.ts';
import {
  boolean,
  checkObject,
  httpsAddress,
  integer,
  integerBetween,
  listOf,
  oneOf,
  optional,
  required,
  type Rules,
  text,
} from '../validation.ts';
import { MediaTasks, type TaskRef } from './media-tasks.ts';

/** Videos (description, POST /videos and GET /videos/{id}). */
export class Videos extends MediaTasks {
  constructor(context: Context) {
    super(context, { kind: 'video', path: '/videos', group: 'videos' });
  }

  /** Creates a video task; poll its status until it is ready. */
  async submit(request: VideoRequest, options: CallOptions = {}): Promise<TaskRef> {
    const faults = validateVideo(request);
    if (faults.length > 0) throw new InvalidRequestError('video', faults);
    const body = { ...request, prompt: request.prompt.toWellFormed() };
    return this.order(body, 'submit', options);
  }
}

/** Request of `videos.submit` (description, POST /videos); omitted fields take the service's defaults. */
export interface VideoRequest {
  prompt: string;
  /** Whole seconds, 4 to 15; 5 by default. */
  duration?: number | undefined;
  resolution?: VideoResolution | undefined;
  quality?: VideoQuality | undefined;
  ratio?: VideoRatio | undefined;
  generate_audio?: boolean | undefined;
  /** Up to nine public https addresses. */
  reference_image_urls?: readonly string[] | undefined;
  /** Up to three public https addresses. */
  reference_video_urls?: readonly string[] | undefined;
  /** `edit` needs at least one of `reference_video_urls`. */
  operation?: VideoOperation | undefined;
  /** A whole number. */
  seed?: number | undefined;
}

const address = httpsAddress({ reachable: 'public' });

const request: Rules<VideoRequest> = {
  prompt: required(text()),
  duration: optional(integerBetween(video.duration)),
  resolution: optional(oneOf(video.resolutions)),
  quality: optional(oneOf(video.qualities)),
  ratio: optional(oneOf(video.ratios)),
  generate_audio: optional(boolean),
  reference_image_urls: optional(listOf(address, { max: video.maxReferenceImages })),
  reference_video_urls: optional(listOf(address, { max: video.maxReferenceVideos })),
  operation: optional(oneOf(video.operations)),
  seed: optional(integer),
};

/** Validates a video request; returns all faults. */
export function validateVideo(value: unknown): Fault[] {
  return [...checkObject(request, value), ...editNeedsVideo(value)];
}

function editNeedsVideo(value: unknown): Fault[] {
  if (typeof value !== 'object' || value === null) return [];
  if (!('operation' in value) || value.operation !== 'edit') return [];
  const videos = 'reference_video_urls' in value ? value.reference_video_urls : undefined;
  const none = videos === undefined || (Array.isArray(videos) && videos.length === 0);
  return none ? [{ field: 'operation', code: 'edit-needs-video', given: 'edit' }] : [];
}
