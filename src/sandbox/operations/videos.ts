import { randomInt } from 'node:crypto';
import {
  video as limits,
  type VideoOperation,
  type VideoQuality,
  type VideoRatio,
  type VideoResolution,
} from '../../service-rules/limits.ts';
import { type VideoPriceMode, videoCreditsPerSecond } from '../../service-rules/prices.ts';
import { type ReadPrompt, readDirectives } from '../faults/prompt-directives.ts';
import { readReferences } from '../files/references.ts';
import { type Call, type Dependencies, requireCredits } from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';
import { createdBody } from '../http/response-variants.ts';
import { beforeWork, json, send } from '../http/send.ts';
import { videoSize } from '../media/sizes.ts';
import { accept, answerFaults, type Rendering } from '../tasks/render.ts';
import { taskRecord } from '../tasks/task-status.ts';
import type { TaskOrder } from '../tasks/tasks.ts';

const waiting = 2_000;
const workingPerSecond = 1_600;

/** A valid request of POST /videos. */
interface VideoRequest {
  readonly prompt: ReadPrompt;
  readonly duration: number;
  readonly resolution: VideoResolution;
  readonly quality: VideoQuality;
  readonly ratio: VideoRatio;
  readonly generateAudio: boolean;
  readonly images: string[];
  readonly videos: string[];
  readonly operation: VideoOperation;
  readonly seed: number;
}

/** POST /videos. */
export async function createVideo(dependencies: Dependencies, call: Call): Promise<void> {
  const request = readRequest(call.body);
  const faults = call.account.faults('video', request.prompt);
  await beforeWork(dependencies, call, faults);
  requireCredits(call, price(request));
  const { account, requestId, conversation } = call;
  const task = account.tasks.open('video', details(request), dependencies.clock.now());
  const parameters = { ...call.body.values, seed: request.seed };
  const order = { parameters, faults, requestId, conversation };
  await accept(dependencies, { account, task, order, rendering: rendering(dependencies, request) });
  const record = taskRecord(account.behavior.shapes, task, dependencies.clock.now());
  await send(
    dependencies,
    call,
    json(createdBody(account.behavior.shapes, record, task.id)),
    answerFaults(faults),
  );
}

/** How an accepted task's video is rendered after a restart, with the same seed and result. */
export function resumeVideo(dependencies: Dependencies, { parameters }: TaskOrder): Rendering {
  return rendering(dependencies, readRequest(new Parameters(parameters)));
}

function rendering(dependencies: Dependencies, request: VideoRequest): Rendering {
  const { duration, resolution } = request;
  const detail = { seconds: duration, resolution, mode: priceMode(request) };
  return {
    extension: 'mp4',
    waiting,
    working: duration * workingPerSecond,
    work: (onProgress, signal) => film(dependencies, request, onProgress, signal),
    price: { operation: 'video', microcredits: price(request), detail },
  };
}

async function film(
  dependencies: Dependencies,
  request: VideoRequest,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const studio = await dependencies.studio();
  const { prompt, duration, resolution, ratio, seed, generateAudio, images, videos } = request;
  const size = videoSize(resolution, ratio);
  const references = [...images, ...videos];
  const order = { prompt: prompt.text, seconds: duration, ...size, seed, generateAudio, references };
  return studio.film(order, onProgress, signal);
}

/** Editing costs the same as generation from a reference video (service description, section 8). */
function priceMode({ videos, quality }: VideoRequest): VideoPriceMode {
  return videos.length > 0 ? 'reference' : quality;
}

function price(request: VideoRequest): number {
  return request.duration * videoCreditsPerSecond[priceMode(request)][request.resolution] * 1e6;
}

function details(request: VideoRequest): Record<string, unknown> {
  const { duration, resolution, quality, ratio, generateAudio, operation, seed } = request;
  return { duration, resolution, quality, ratio, generate_audio: generateAudio, operation, seed };
}

function readRequest(body: Parameters): VideoRequest {
  const request: VideoRequest = {
    prompt: readDirectives(body.text('prompt')),
    duration: body.integer('duration', limits.duration, limits.duration.default),
    resolution: body.choice('resolution', limits.resolutions, limits.defaultResolution),
    quality: body.choice('quality', limits.qualities, limits.defaultQuality),
    ratio: body.choice('ratio', limits.ratios, limits.defaultRatio),
    generateAudio: body.flag('generate_audio', true),
    images: readReferences(body, 'reference_image_urls', { max: limits.maxReferenceImages, dataUrls: false }),
    videos: readReferences(body, 'reference_video_urls', { max: limits.maxReferenceVideos, dataUrls: false }),
    operation: body.choice('operation', limits.operations, limits.defaultOperation),
    seed: body.integer(
      'seed',
      { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
      randomInt(2 ** 31),
    ),
  };
  if (request.operation === 'edit' && request.videos.length === 0)
    throw body.invalid('reference_video_urls', "at least one, if 'operation' is edit");
  return request;
}
