import type { MediaResult } from '../decode/media/media.ts';
import type { TaskStatus } from '../decode/task.ts';
import { BadResponseError } from '../errors/answered-errors.ts';
import { errorFromAnswer } from '../errors/error-from-answer.ts';
import { InvalidRequestError } from '../errors/local-errors.ts';
import type { CallOptions } from '../options.ts';
import { type ImageRequest, validateImage } from '../validate/image.ts';
import type { Context } from './context.ts';
import { MediaTasks, type TaskRef, type WaitOptions } from './media-tasks.ts';

/** One finished image: the service makes one per request. */
export interface ImageResult {
  result: MediaResult;
  requestId: string | undefined;
}

/** Images (description, POST /images/generations and GET /images/generations/{id}). */
export class Images {
  readonly #context: Context;
  readonly #tasks: MediaTasks;

  constructor(context: Context) {
    this.#context = context;
    this.#tasks = new MediaTasks(context, { kind: 'image', path: '/images/generations', group: 'images' });
  }

  /** Makes an image in one request; if the service returns a task anyway, waits for it. */
  async create(request: ImageRequest, options: CallOptions = {}): Promise<ImageResult> {
    const { id, status, requestId } = await this.#send(request, false, this.#context.timeouts.image, options);
    const over = status.state === 'ready' || status.state === 'failed' || id === undefined;
    const { results, error, errorCode, state } = over ? status : await this.#tasks.wait(id, options);
    const [result] = results;
    if (result) return { result, requestId };
    if (state === 'failed') {
      const body = { message: error, code: errorCode };
      throw errorFromAnswer({ operation: 'image', status: 200, body, requestId });
    }
    const facts = { operation: 'image', requestId, outcome: 'unknown', retryable: false } as const;
    throw new BadResponseError('the image is ready and not to be found', facts);
  }

  /** Creates an image task; poll its status until it is ready. */
  async submit(request: ImageRequest, options: CallOptions = {}): Promise<TaskRef> {
    return this.#send(request, true, this.#context.timeouts.submit, options);
  }

  /** Gets the task's status. Free. */
  async status(id: string, options: CallOptions = {}): Promise<TaskStatus> {
    return this.#tasks.status(id, options);
  }

  /** Polls until the task is ready or failed, at most an hour. */
  async wait(id: string, options: WaitOptions = {}): Promise<TaskStatus> {
    return this.#tasks.wait(id, options);
  }

  async #send(request: ImageRequest, asTask: boolean, limit: number, options: CallOptions): Promise<TaskRef> {
    const faults = validateImage(request);
    if (faults.length > 0) throw new InvalidRequestError('image', faults);
    const body = { ...request, prompt: request.prompt.toWellFormed(), async: asTask };
    return this.#tasks.create(body, limit, options);
  }
}
