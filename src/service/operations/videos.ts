import type { TaskStatus } from '../decode/task.ts';
import { InvalidRequestError } from '../errors/local-errors.ts';
import type { CallOptions } from '../options.ts';
import { type VideoRequest, validateVideo } from '../validate/video.ts';
import type { Context } from './context.ts';
import { MediaTasks, type TaskRef, type WaitOptions } from './media-tasks.ts';

/** Videos (description, POST /videos and GET /videos/{id}). */
export class Videos {
  readonly #context: Context;
  readonly #tasks: MediaTasks;

  constructor(context: Context) {
    this.#context = context;
    this.#tasks = new MediaTasks(context, { kind: 'video', path: '/videos', group: 'videos' });
  }

  /** Creates a video task; poll its status until it is ready. */
  async submit(request: VideoRequest, options: CallOptions = {}): Promise<TaskRef> {
    const faults = validateVideo(request);
    if (faults.length > 0) throw new InvalidRequestError('video', faults);
    const body = { ...request, prompt: request.prompt.toWellFormed() };
    return this.#tasks.create(body, this.#context.timeouts.submit, options);
  }

  /** Gets the task's status. Free. */
  async status(id: string, options: CallOptions = {}): Promise<TaskStatus> {
    return this.#tasks.status(id, options);
  }

  /** Polls until the task is ready or failed, at most an hour. */
  async wait(id: string, options: WaitOptions = {}): Promise<TaskStatus> {
    return this.#tasks.wait(id, options);
  }
}
