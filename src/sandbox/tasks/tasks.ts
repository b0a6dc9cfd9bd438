import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type MeteredCall, meteredCall } from '../account/meter.ts';
import { faultSchema } from '../faults/faults.ts';
import { ApiError } from '../http/parameters.ts';

export type TaskKind = 'image' | 'video';
export type TaskState = 'queued' | 'processing' | 'succeeded' | 'failed';

/** The request's settings shown in a task's record. */
export type TaskDetails = Readonly<Record<string, unknown>>;

/** What a task renders; the same order gives the same file. */
export const taskOrder = meteredCall.pick({ requestId: true, conversation: true }).extend({
  /** The parameters of the request, with its seed. */
  parameters: z.record(z.string(), z.unknown()),
  faults: z.array(faultSchema).readonly(),
});
export type TaskOrder = Readonly<z.output<typeof taskOrder>>;

/** Stores tasks across restarts; never rejects. */
export interface TaskStorage {
  save(task: Task): Promise<void>;
  remove(task: Task): Promise<void>;
}

/** An image or video task. */
export class Task {
  readonly id: string;
  readonly kind: TaskKind;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly details: TaskDetails;
  /** Undefined once finished. */
  order: TaskOrder | undefined;
  state: TaskState = 'queued';
  /** From 0 to 1. */
  progress: (now: number) => number = () => 0;
  /** Name of the finished file. */
  file: string | undefined;
  error: ReturnType<ApiError['body']> | undefined;
  /** Its entry on the meter. */
  metered: (MeteredCall & { readonly time: number }) | undefined;
  readonly cancelled = new AbortController();

  constructor(kind: TaskKind, details: TaskDetails, createdAt: number, id = newId(kind)) {
    this.id = id;
    this.kind = kind;
    this.details = details;
    this.createdAt = createdAt;
  }

  get finished(): boolean {
    return this.state === 'succeeded' || this.state === 'failed';
  }

  finish(state: 'succeeded' | 'failed'): void {
    const progress = state === 'succeeded' ? 1 : this.progress(Number.POSITIVE_INFINITY);
    this.progress = () => progress;
    this.state = state;
    this.order = undefined;
  }
}

function newId(kind: TaskKind): string {
  return `${kind}_${randomBytes(12).toString('hex')}`;
}

const maxTasks = 500;
const maxUnfinished = 200;

/** The tasks of one account. Beyond 500, the oldest finished ones are forgotten. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #storage: TaskStorage | undefined;

  constructor(storage?: TaskStorage) {
    this.#storage = storage;
  }

  /** Creates a task; throws a 429 if 200 are unfinished. */
  open(kind: TaskKind, details: TaskDetails, now: number): Task {
    const unfinished = [...this.#tasks.values()].filter((task) => !task.finished).length;
    if (unfinished >= maxUnfinished)
      throw new ApiError(429, `${maxUnfinished} tasks of this key are unfinished; wait for one of them.`, {
        code: 'too_many_tasks',
        headers: { 'retry-after': '10' },
      });
    const task = new Task(kind, details, now);
    this.add(task);
    return task;
  }

  /** Adds a task, also one of an earlier process. */
  add(task: Task): void {
    this.#tasks.set(task.id, task);
    if (this.#tasks.size <= maxTasks) return;
    const oldest = this.#tasks.values().find(({ finished }) => finished);
    if (oldest) this.forget(oldest);
  }

  /** Stores a task's current state. */
  async save(task: Task): Promise<void> {
    if (this.#tasks.has(task.id)) await this.#storage?.save(task);
  }

  /** Finds a task; throws a 404 if this key has none with this id. */
  get(kind: TaskKind, id: string): Task {
    const task = this.#tasks.get(id);
    if (task?.kind === kind) return task;
    throw new ApiError(404, `This key has no ${kind} task with the id given.`, {
      code: 'task_not_found',
      param: 'id',
    });
  }

  /** Removes the meter entries of all tasks, when the meter is reset. */
  forgetMetered(): void {
    for (const task of this.#tasks.values()) {
      if (!task.metered) continue;
      task.metered = undefined;
      void this.save(task);
    }
  }

  /** Stops and forgets all of them. */
  forgetAll(): void {
    for (const task of this.#tasks.values()) this.forget(task);
  }

  forget(task: Task): void {
    task.cancelled.abort();
    this.#tasks.delete(task.id);
    void this.#storage?.remove(task);
  }
}
