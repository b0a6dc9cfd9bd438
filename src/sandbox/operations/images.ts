import { image as limits } from '../../service-rules/limits.ts';
import { imageCredits } from '../../service-rules/prices.ts';
import { type Fault, readDirectives } from '../faults/faults.ts';
import {
  beforeWork,
  type Call,
  type Charge,
  duringWork,
  json,
  meter,
  requireCredits,
  send,
  type Services,
  wait,
} from '../http/call.ts';
import { invalidParameter, Parameters } from '../http/parameters.ts';
import { imageBody, type Result } from '../http/response-variants.ts';
import { imageSize, longestImageSide, referencePicture, UnreadableReference } from '../media/sizes.ts';
import type { TaskOrder } from '../tasks/tasks.ts';
import { createTask, fileUrl, readReferences, type Rendering } from './tasks.ts';

const microcredits = imageCredits * 1e6;
const waiting = 1_000;
const working = 3_000;

/** A valid request of POST /images/generations. */
type ImageRequest = ReturnType<typeof readRequest>;

/** POST /images/generations. */
export async function createImage(call: Call): Promise<void> {
  const request = readRequest(call.body, call.requestId);
  const faults = call.account.faults('image', request.prompt);
  await beforeWork(call, faults);
  requireCredits(call, microcredits);
  if (!request.async) return answerSynchronously(call, request, faults);
  const details = { size: request.size, response_format: request.format };
  const parameters = call.body.values;
  await createTask(call, { kind: 'image', details, parameters, faults, rendering: rendering(call, request) });
}

async function answerSynchronously(call: Call, request: ImageRequest, faults: readonly Fault[]) {
  await duringWork(call, faults);
  const { renderTime, shapes } = call.account.behavior;
  const drawn = draw(call, request, call.left);
  const [bytes] = await Promise.all([drawn, wait(call.clock, working * renderTime, call.left)]);
  let result: Result = { b64_json: Buffer.from(bytes).toString('base64'), contentType: 'image/png' };
  if (request.format === 'url') {
    const file = await call.files.put(bytes, 'png', call.account);
    if (faults.some((one) => one.kind === 'gone')) await call.files.drop(file.name);
    result = { url: fileUrl(call, file.name) };
  }
  meter(call, charge(request));
  await send(call, json(imageBody(shapes.image, result, call.clock.now())), faults);
}

/** How an accepted task's image is rendered after a restart. */
export function resumeImage(services: Services, { parameters, requestId }: TaskOrder): Rendering {
  return rendering(services, readRequest(new Parameters(parameters), requestId));
}

function rendering(services: Services, request: ImageRequest): Rendering {
  const work: Rendering['work'] = async (onProgress, signal) => {
    onProgress(1);
    return draw(services, request, signal);
  };
  return { extension: 'png', waiting, working, work, charge: charge(request) };
}

async function draw(services: Services, request: ImageRequest, signal: AbortSignal): Promise<Uint8Array> {
  const studio = await services.studio();
  const { references, prompt, size, seed } = request;
  try {
    return await studio.draw({ prompt: prompt.text, ...imageSize(size), references, seed }, signal);
  } catch (error) {
    if (!(error instanceof UnreadableReference)) throw error;
    const given = 'a data URL without a readable image';
    throw invalidParameter(`reference_images[${error.index}]`, given, `a ${referencePicture}`);
  }
}

function charge({ size }: ImageRequest): Charge {
  return { operation: 'image', microcredits, detail: { size } };
}

function readRequest(body: Parameters, requestId: string) {
  const prompt = body.text('prompt');
  let characters = 0;
  for (const _ of prompt) characters++;
  if (characters > limits.maxPromptCharacters)
    throw body.tooLong('prompt', `${characters} characters`, `${limits.maxPromptCharacters} characters`);
  return {
    prompt: readDirectives(prompt),
    size: readSize(body),
    format: body.choice('response_format', limits.responseFormats, limits.defaultResponseFormat),
    references: readReferences(body, 'reference_images', { max: limits.maxReferences, dataUrls: true }),
    async: body.flag('async', false),
    // Each request gets an image of its own, as from the service; the same after a restart.
    seed: Number.parseInt(/[0-9a-f]{1,8}$/.exec(requestId)?.[0] ?? '0', 16),
  };
}

/** The description doesn't say which sizes are supported. */
function readSize(body: Parameters): string {
  const size = body.has('size') ? body.raw('size') : limits.defaultSize;
  const isDrawn = (side: string) => !(Number(side) > longestImageSide);
  if (typeof size === 'string' && limits.sizePattern.test(size) && size.split('x').every(isDrawn))
    return size;
  const pixels = `WIDTHxHEIGHT with both from 10 to ${longestImageSide} pixels`;
  throw body.invalid('size', `${limits.sizes.join(', ')}, or ${pixels}`);
}
