import type { ImageResponseFormat } from '../../service-rules/limits.ts';
import { image as limits } from '../../service-rules/limits.ts';
import { imageCredits } from '../../service-rules/prices.ts';
import type { Fault } from '../faults/faults.ts';
import { type ReadPrompt, readDirectives } from '../faults/prompt-directives.ts';
import { readReferences } from '../files/references.ts';
import { fileUrl } from '../files/result-files.ts';
import { invalidParameter } from '../http/api-error.ts';
import { type Call, type Dependencies, meter, requireCredits } from '../http/call.ts';
import { Parameters } from '../http/parameters.ts';
import { createdBody, imageBody } from '../http/response-variants.ts';
import { beforeWork, duringWork, json, send } from '../http/send.ts';
import { imageSize, longestImageSide } from '../media/sizes.ts';
import { referencePicture, UnreadableReference } from '../media/unreadable-reference.ts';
import { accept, answerFaults, type Rendering, simulate } from '../tasks/render.ts';
import { taskRecord } from '../tasks/task-status.ts';
import type { TaskOrder } from '../tasks/tasks.ts';

const price = imageCredits * 1e6;
const waiting = 1_000;
const working = 3_000;

/** A valid request of POST /images/generations. */
interface ImageRequest {
  readonly prompt: ReadPrompt;
  readonly size: string;
  readonly format: ImageResponseFormat;
  readonly references: string[];
  readonly async: boolean;
  /** Each request gets an image of its own, as from the service. */
  readonly seed: number;
}

/** POST /images/generations. */
export async function createImage(dependencies: Dependencies, call: Call): Promise<void> {
  const request = readRequest(call.body, call.requestId);
  const faults = call.account.faults('image', request.prompt);
  await beforeWork(dependencies, call, faults);
  requireCredits(call, price);
  await (request.async ? openTask : answerSynchronously)(dependencies, call, request, faults);
}

async function answerSynchronously(
  dependencies: Dependencies,
  call: Call,
  request: ImageRequest,
  faults: readonly Fault[],
) {
  await duringWork(dependencies, call, faults);
  const { renderTime, shapes } = call.account.behavior;
  const simulated = simulate(dependencies.clock, working * renderTime, call.left);
  const [bytes] = await Promise.all([draw(dependencies, request, call.left), simulated]);
  const result =
    request.format === 'url'
      ? { url: await store(dependencies, call, bytes, faults) }
      : { b64_json: Buffer.from(bytes).toString('base64'), contentType: 'image/png' };
  meter(dependencies, call, metered(request));
  await send(dependencies, call, json(imageBody(shapes.image, result, dependencies.clock.now())), faults);
}

async function store(
  dependencies: Dependencies,
  call: Call,
  bytes: Uint8Array,
  faults: readonly Fault[],
): Promise<string> {
  const file = await dependencies.files.put(bytes, 'png', call.account);
  if (faults.some((one) => one.kind === 'gone')) await dependencies.files.drop(file.name);
  return fileUrl(call, file.name);
}

async function openTask(
  dependencies: Dependencies,
  call: Call,
  request: ImageRequest,
  faults: readonly Fault[],
) {
  const { account, requestId, conversation } = call;
  const details = { size: request.size, response_format: request.format };
  const task = account.tasks.open('image', details, dependencies.clock.now());
  const order = { parameters: call.body.values, faults, requestId, conversation };
  await accept(dependencies, { account, task, order, rendering: rendering(dependencies, request) });
  const record = taskRecord(account.behavior.shapes, task, dependencies.clock.now());
  await send(
    dependencies,
    call,
    json(createdBody(account.behavior.shapes, record, task.id)),
    answerFaults(faults),
  );
}

/** How an accepted task's image is rendered after a restart. */
export function resumeImage(dependencies: Dependencies, { parameters, requestId }: TaskOrder): Rendering {
  return rendering(dependencies, readRequest(new Parameters(parameters), requestId));
}

function rendering(dependencies: Dependencies, request: ImageRequest): Rendering {
  const work: Rendering['work'] = async (onProgress, signal) => {
    onProgress(1);
    return draw(dependencies, request, signal);
  };
  return { extension: 'png', waiting, working, work, price: metered(request) };
}

async function draw(
  dependencies: Dependencies,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const studio = await dependencies.studio();
  const { references, prompt, size, seed } = request;
  try {
    return await studio.draw({ prompt: prompt.text, ...imageSize(size), references, seed }, signal);
  } catch (error) {
    if (!(error instanceof UnreadableReference)) throw error;
    const given = 'a data URL without a readable image';
    throw invalidParameter(`reference_images[${error.index}]`, given, `a ${referencePicture}`);
  }
}

function metered({ size }: ImageRequest) {
  return { operation: 'image', microcredits: price, detail: { size } } as const;
}

function readRequest(body: Parameters, requestId: string): ImageRequest {
  const prompt = body.text('prompt');
  const characters = countCharacters(prompt);
  if (characters > limits.maxPromptCharacters)
    throw body.tooLong('prompt', `${characters} characters`, `${limits.maxPromptCharacters} characters`);
  return {
    prompt: readDirectives(prompt),
    size: readSize(body),
    format: body.choice('response_format', limits.responseFormats, limits.defaultResponseFormat),
    references: readReferences(body, 'reference_images', { max: limits.maxReferences, dataUrls: true }),
    async: body.flag('async', false),
    seed: seedOf(requestId),
  };
}

/** A number of a request's own; the same after a restart. */
function seedOf(requestId: string): number {
  const digits = /[0-9a-f]{1,8}$/.exec(requestId)?.[0] ?? '0';
  return Number.parseInt(digits, 16);
}

function readSize(body: Parameters): string {
  const size = body.has('size') ? body.raw('size') : limits.defaultSize;
  if (typeof size === 'string' && limits.sizePattern.test(size) && isSupported(size)) return size;
  const pixels = `WIDTHxHEIGHT with both from 10 to ${longestImageSide} pixels`;
  throw body.invalid('size', `${limits.sizes.join(', ')}, or ${pixels}`);
}

/** Whether the sandbox can draw a size; the description doesn't say which are supported. */
function isSupported(size: string): boolean {
  return size.split('x').every((side) => Number.isNaN(Number(side)) || Number(side) <= longestImageSide);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
