import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { imageSize } from '../../media/index.ts';
import type { Account } from '../account/account.ts';
import type { Fault } from '../faults/faults.ts';
import {
  beforeWork,
  type Call,
  type Charge,
  duringWork,
  findFault,
  json,
  meter,
  send,
  type Services,
  stall,
  wait,
} from '../http/call.ts';
import { ApiError, type Parameters } from '../http/parameters.ts';
import {
  createdBodies,
  plainId,
  type Result,
  resultBodies,
  shownId,
  stateBody,
} from '../http/response-variants.ts';
import { referencePicture, tooManyPixels } from '../media/sizes.ts';
import type { OnProgress } from '../media/studio.ts';
import type { Task, TaskDetails, TaskKind, TaskOrder } from '../tasks/tasks.ts';

/** A task to create. */
interface NewTask {
  readonly kind: TaskKind;
  readonly details: TaskDetails;
  /** The order from which the task is rendered after a restart. */
  readonly parameters: TaskOrder['parameters'];
  readonly faults: readonly Fault[];
  readonly rendering: Rendering;
}

/** Creates a task, starts it, and answers with its id. */
export async function createTask(call: Call, { kind, details, parameters, faults, rendering }: NewTask) {
  const { account, requestId, conversation, clock } = call;
  const task = account.tasks.open(kind, details, clock.now());
  const order = { parameters, faults, requestId, conversation };
  task.order = order;
  // Before its id is returned: a restart can't lose it.
  await account.tasks.save(task);
  void render(call, { account, task, order, rendering });
  const { shapes } = account.behavior;
  const id = shownId(shapes.ids, task.id);
  const body = createdBodies[shapes.task](id, recordOf(call, task));
  const ofAnswer = faults.filter(({ when, kind }) => when !== 'during' || kind === 'cut' || kind === 'end');
  await send(call, json(body), ofAnswer);
}

/** GET /images/generations/{id} or /videos/{id}. */
export function showTask(kind: TaskKind): (call: Call) => Promise<void> {
  const operation = `${kind}_status` as const;
  return async (call) => {
    const task = call.account.tasks.get(kind, plainId(call.id));
    const faults = call.account.faults(operation);
    await beforeWork(call, faults);
    await duringWork(call, faults);
    const { shapes } = call.account.behavior;
    const result = task.file === undefined ? undefined : await readResult(call, task, task.file);
    const body = {
      id: shownId(shapes.ids, task.id),
      ...recordOf(call, task),
      ...(result && resultBodies[shapes.result](result, kind)),
    };
    meter(call, { operation, microcredits: 0 });
    await send(call, json(body), faults);
  };
}

/** A task's record, without id and result. */
function recordOf({ account, clock }: Call, task: Task): object {
  return {
    object: `${task.kind}.task`,
    created_at: Math.floor(task.createdAt / 1_000),
    ...task.details,
    ...stateBody(account.behavior.shapes, task, clock.now()),
    ...(task.error && { error: task.error }),
  };
}

async function readResult(call: Call, { details }: Task, name: string): Promise<Result> {
  const isDataUrl = call.account.behavior.shapes.result === 'data_url';
  if (details.response_format !== 'b64_json' && !isDataUrl) return { url: fileUrl(call, name) };
  const file = await call.files.find(name);
  if (!file || file === 'gone')
    throw new ApiError(410, 'The result of this task is gone.', { code: 'result_gone' });
  return { b64_json: await readFile(file.path, 'base64'), contentType: file.contentType };
}

/** The URL of a finished file; it needs no key. */
export function fileUrl({ origin }: Call, name: string): string {
  return `${origin}/files/${name}`;
}

const imageDataUrl = /^data:image\/(?:png|jpeg|jpg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Rules for a list of references (service description, POST /images/generations and POST /videos). */
interface ReferenceRule {
  readonly max: number;
  readonly dataUrls: boolean;
}

/** Characters of base64 in which nearly all images state their size; the renderer checks the rest. */
const headCharacters = 1_000_000;

/** Validates an array of references; loopback and private addresses are refused. */
export function readReferences(body: Parameters, name: string, { max, dataUrls }: ReferenceRule): string[] {
  const allowed = dataUrls
    ? 'an HTTPS URL, or a data URL of a png, jpeg, webp or gif image in base64'
    : 'a public HTTPS URL';
  return body.list(name, max).map((given, index) => {
    if (typeof given === 'string' && isPublicHttps(given)) return given;
    if (typeof given !== 'string' || !dataUrls || !imageDataUrl.test(given))
      throw body.invalid(name, allowed, { index, given: withoutPath(given) });
    const start = given.indexOf(',') + 1;
    const size = imageSize(Buffer.from(given.slice(start, start + headCharacters), 'base64'));
    if (!size || !tooManyPixels(size)) return given;
    const pixels = `${size.width} x ${size.height} pixels`;
    throw body.invalid(name, `a ${referencePicture}`, { index, given: pixels });
  });
}

function isPublicHttps(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') return false;
  const host = url.hostname;
  return host !== 'localhost' && !host.endsWith('.localhost') && !isPrivateAddress(host);
}

function isPrivateAddress(host: string): boolean {
  if (host.startsWith('[')) return /^\[(?:::1?\]|f[cd]|fe[89ab])/.test(host);
  return isIP(host) === 4 && /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(host);
}

/** A URL for an error message, without the path, which can be secret. */
function withoutPath(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  const url = URL.parse(given);
  if (!url) return 'not a URL';
  return url.protocol === 'data:' ? `${given.slice(0, 30)}…` : `${url.protocol}//${url.host}/…`;
}

/** How a task is rendered to a file. */
export interface Rendering {
  readonly extension: 'png' | 'mp4';
  /** Simulated milliseconds in the queue and at work, before the factor `render_time`. */
  readonly waiting: number;
  readonly working: number;
  readonly work: (onProgress: OnProgress, signal: AbortSignal) => Promise<Uint8Array>;
  /** What is charged when the result is ready. */
  readonly charge: Charge;
}

/** A task to render. */
export interface AcceptedTask {
  readonly account: Account;
  readonly task: Task;
  readonly order: TaskOrder;
  readonly rendering: Rendering;
}

/** Renders a task, from queued to succeeded or failed. Never rejects: an error fails the task. */
export async function render(services: Services, accepted: AcceptedTask): Promise<void> {
  const { clock, files, closing, report } = services;
  const { account, task, order, rendering } = accepted;
  const signal = AbortSignal.any([closing, task.cancelled.signal]);
  try {
    const bytes = await run(services, accepted, signal);
    const file = await files.put(bytes, rendering.extension, account);
    if (order.faults.some((one) => one.kind === 'gone')) await files.drop(file.name);
    task.file = file.name;
    task.finish('succeeded');
    const { requestId, conversation } = order;
    task.metered = { requestId, conversation, ...rendering.charge, time: clock.now() };
    account.meter.record(task.metered, task.metered.time);
  } catch (error) {
    if (signal.aborted) return;
    const failure = error instanceof ApiError ? error : new ApiError(500, 'The rendering failed.');
    if (failure !== error) report(error);
    task.error = failure.body();
    task.finish('failed');
  }
  await account.tasks.save(task);
}

async function run({ clock }: Services, accepted: AcceptedTask, signal: AbortSignal): Promise<Uint8Array> {
  const { account, task, order, rendering } = accepted;
  const scale = account.behavior.renderTime;
  await wait(clock, rendering.waiting * scale, signal);
  const delay = (findFault(order.faults, 'during', 'delay')?.seconds ?? 0) * 1_000;
  const working = rendering.working * scale + delay;
  const begun = clock.now();
  let done = 0;
  task.state = 'processing';
  // The lower of the work's and the simulated time's.
  task.progress = (now) => {
    const time = working > 0 ? (now - begun) / working : 1;
    return Math.max(0, Math.min(done, time, 0.99));
  };
  if (findFault(order.faults, 'during', 'error')) {
    await wait(clock, working / 2, signal);
    throw new ApiError(500, 'The generation failed (requested by a sandbox fault).', {
      code: 'generation_failed',
    });
  }
  if (findFault(order.faults, 'during', 'stall')) {
    done = 0.45;
    await stall({ left: signal });
  }
  const work = rendering.work((progress) => {
    done = progress;
  }, signal);
  const [bytes] = await Promise.all([work, wait(clock, working, signal)]);
  return bytes;
}
