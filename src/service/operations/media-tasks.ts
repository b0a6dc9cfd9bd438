import { sleep, waitAfter, type Waits } from '../../lib/clock.ts';
import { faultName } from '../../lib/telemetry.ts';
import type { RateGroup } from '../../service-rules/limits.ts';
import type { Context } from '../calls.ts';
import { decodeErrorValue, errorFromAnswer, isErrorAlone } from '../decode/answer.ts';
import type { MediaKind } from '../decode/media.ts';
import { decodeTask, LastingState, type Task, type TaskStatus } from '../decode/task.ts';
import { InvalidRequestError, ServiceError } from '../errors.ts';
import { badResponse, readJson } from '../http/read-json.ts';
import { type Answer, failure } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';
import { validateTaskId } from '../validation.ts';

/** A newly created task. */
export interface TaskRef {
  /**
   * The id for its status. `undefined` only if the service returned the finished result immediately (`status.state`
   * is `ready`) without an id.
   */
  id: string | undefined;
  /** Its initial status; already `ready` or `failed` if the service was that fast. */
  status: TaskStatus;
  requestId: string | undefined;
}

/** Options for waiting for a task. */
export interface WaitOptions extends CallOptions {
  /** Called with each status that is neither ready nor failed. */
  onProgress?: ((status: TaskStatus) => void) | undefined;
}

/** The differences between images and videos. */
export interface TaskKind {
  kind: MediaKind;
  path: '/images/generations' | '/videos';
  group: RateGroup & ('images' | 'videos');
}

const spacing: Waits = { first: 2_000, longest: 15_000, factor: 1.3 };
const emptyReadyTries = 5;
/** In a task's record: looking through so many takes some milliseconds. */
const mostValues = 5_000;

/** Creating, polling and waiting for tasks, for both images and videos. */
export abstract class MediaTasks {
  readonly #context: Context;
  readonly #kind: TaskKind;

  protected constructor(context: Context, kind: TaskKind) {
    this.#context = context;
    this.#kind = kind;
  }

  /** Creates a task, or for images a finished result. Paid. */
  protected async order(body: object, timeout: 'image' | 'submit', options: CallOptions): Promise<TaskRef> {
    const { kind: operation, path, group } = this.#kind;
    const limit = this.#context.timeouts[timeout];
    return this.#context.calls.run(
      { operation, group, method: 'POST', path, accept: 'application/json', body, paid: true, limit },
      options,
      async (answer) => this.#created(answer, await this.#read(answer)),
    );
  }

  /** Gets a task's status. Free. */
  async status(id: string, options: CallOptions = {}): Promise<TaskStatus> {
    const { kind, path } = this.#kind;
    const operation = `${kind}-status` as const;
    const faults = validateTaskId(id);
    if (faults.length > 0) throw new InvalidRequestError(operation, faults);
    const task = await this.#context.calls.run(
      {
        operation,
        group: 'status',
        method: 'GET',
        path: `${path}/${encodeURIComponent(id)}`,
        accept: 'application/json',
        paid: false,
        limit: this.#context.timeouts.read,
      },
      options,
      (answer) => this.#read(answer),
    );
    return task.status;
  }

  /** Polls every 2 s to 15 s until the task is ready or failed, at most an hour. Temporary failures don't end it. */
  async wait(id: string, options: WaitOptions = {}): Promise<TaskStatus> {
    const { calls, timeouts } = this.#context;
    const deadline = calls.deadline(options);
    deadline.start('task', timeouts.task);
    try {
      return await this.#poll(id, { ...options, signal: deadline.signal });
    } catch (error) {
      const operation = `${this.#kind.kind}-status` as const;
      throw deadline.interruption ? failure(undefined, { operation, deadline, sent: true }) : error;
    } finally {
      deadline.dispose();
    }
  }

  async #poll(id: string, options: WaitOptions): Promise<TaskStatus> {
    let emptyReady = 0;
    const lasting = new LastingState();
    for (let query = 1; ; query++) {
      const answered = await this.#statusUnlessPassing(id, options);
      const status = answered && lasting.read(answered);
      if (status?.state === 'failed') return status;
      // The state may change slightly before the result appears.
      const given =
        status?.state === 'ready' && (status.results.length > 0 || ++emptyReady >= emptyReadyTries);
      if (given) return status;
      if (status) this.#tell(options, status);
      await sleep(this.#context.clock, waitAfter(query, spacing), options.signal);
    }
  }

  async #statusUnlessPassing(id: string, options: WaitOptions): Promise<TaskStatus | undefined> {
    try {
      return await this.status(id, options);
    } catch (error) {
      if (error instanceof ServiceError && error.retryable) return undefined;
      throw error;
    }
  }

  #created(answer: Answer, task: Task): TaskRef {
    const { operation, requestId } = answer;
    // An id that can't be used in a request is ignored.
    const id = validateTaskId(task.id).length === 0 ? task.id : undefined;
    // An unknown state can't change if it can't be polled.
    const status = id === undefined ? (task.status.unclear?.status ?? task.status) : task.status;
    const isAll = status.results.length > 0 || (id === undefined && status.others !== undefined);
    if (isAll) return { id, status, requestId };
    if (id === undefined && status.state === 'failed') {
      const body = { message: status.error, code: status.errorCode };
      throw errorFromAnswer({ operation, status: 200, body, requestId });
    }
    if (id === undefined) throw badResponse(answer, 'the answer names no task');
    // "success" without a result refers to the creation, not the task.
    const state = status.state === 'ready' ? 'waiting' : status.state;
    return { id, status: { ...status, state }, requestId };
  }

  #tell(options: WaitOptions, status: TaskStatus): void {
    try {
      options.onProgress?.(status);
    } catch (error) {
      this.#context.log('warn', 'callback-failed', { error: faultName(error) });
    }
  }

  async #read(answer: Answer): Promise<Task> {
    const { limits, shapes } = this.#context;
    const { operation, requestId } = answer;
    const value = await readJson(answer, { bytes: limits.answerBytes, values: mostValues });
    const task = decodeTask(value, this.#kind.kind, shapes);
    if (task) return task;
    if (isErrorAlone(value))
      throw errorFromAnswer({ operation, status: 200, body: decodeErrorValue(value), requestId });
    shapes.report(operation, 'task', value);
    throw badResponse(answer, 'the answer is no task');
  }
}
