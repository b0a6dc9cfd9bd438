import { randomInt } from 'node:crypto';
import { video as limits } from '../../service-rules/limits.ts';
import { videoCreditsPerSecond } from '../../service-rules/prices.ts';
import { readDirectives } from '../faults/faults.ts';
import { beforeWork, type Call, type Charge, requireCredits, type Services } from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';
import { videoSize } from '../media/sizes.ts';
import type { TaskOrder } from '../tasks/tasks.ts';
import { createTask, readReferences, type Rendering } from './tasks.ts';

const waiting = 2_000;
const workingPerSecond = 1_600;

/** A valid request of POST /videos. */
type VideoRequest = ReturnType<typeof readRequest>;

/** POST /videos. */
export async function createVideo(call: Call): Promise<void> {
  const request = readRequest(call.body);
  const faults = call.account.faults('video', request.prompt);
  await beforeWork(call, faults);
  requireCredits(call, charge(request).microcredits);
  const { duration, resolution, quality, ratio, generateAudio, operation, seed } = request;
  await createTask(call, {
    kind: 'video',
    details: { duration, resolution, quality, ratio, generate_audio: generateAudio, operation, seed },
    parameters: { ...call.body.values, seed },
    faults,
    rendering: rendering(call, request),
  });
}

/** How an accepted task's video is rendered after a restart, with the same seed and result. */
export function resumeVideo(services: Services, { parameters }: TaskOrder): Rendering {
  return rendering(services, readRequest(new Parameters(parameters)));
}

function rendering(services: Services, request: VideoRequest): Rendering {
  const { prompt, duration, resolution, ratio, seed, generateAudio, images, videos } = request;
  const references = [...images, ...videos];
  const size = videoSize(resolution, ratio);
  return {
    extension: 'mp4',
    waiting,
    working: duration * workingPerSecond,
    async work(onProgress, signal) {
      const order = { prompt: prompt.text, seconds: duration, ...size, seed, generateAudio, references };
      return (await services.studio()).film(order, onProgress, signal);
    },
    charge: charge(request),
  };
}

/** Editing costs the same as generation from a reference video (service description, section 8). */
function charge({ videos, quality, resolution, duration }: VideoRequest): Charge {
  const mode = videos.length > 0 ? 'reference' : quality;
  const microcredits = duration * videoCreditsPerSecond[mode][resolution] * 1e6;
  return { operation: 'video', microcredits, detail: { seconds: duration, resolution, mode } };
}

const anySeed = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

function readRequest(body: Parameters) {
  const request = {
    prompt: readDirectives(body.text('prompt')),
    duration: body.integer('duration', limits.duration, limits.duration.default),
    resolution: body.choice('resolution', limits.resolutions, limits.defaultResolution),
    quality: body.choice('quality', limits.qualities, limits.defaultQuality),
    ratio: body.choice('ratio', limits.ratios, limits.defaultRatio),
    generateAudio: body.flag('generate_audio', true),
    images: readReferences(body, 'reference_image_urls', { max: limits.maxReferenceImages, dataUrls: false }),
    videos: readReferences(body, 'reference_video_urls', { max: limits.maxReferenceVideos, dataUrls: false }),
    operation: body.choice('operation', limits.operations, limits.defaultOperation),
    seed: body.integer('seed', anySeed, randomInt(2 ** 31)),
  };
  if (request.operation === 'edit' && request.videos.length === 0)
    throw body.invalid('reference_video_urls', "at least one, if 'operation' is edit");
  return request;
}
