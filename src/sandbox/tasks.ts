import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error.ts';

export type TaskKind = 'image' | 'video';
export type TaskState = 'queued' | 'processing' | 'succeeded' | 'failed';

/** What a task is about, as its record shows it. */
export type TaskDetails = Readonly<Record<string, unknown>>;

/** An image or video in the making. */
export class Task {
  readonly id: string;
  readonly kind: TaskKind;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly details: TaskDetails;
  state: TaskState = 'queued';
  /** From 0 to 1. */
  progress: (now: number) => number = () => 0;
  /** Name of the finished file. */
  file: string | undefined;
  error: { readonly code: string; readonly message: string } | undefined;
  readonly cancelled = new AbortController();

  constructor(kind: TaskKind, details: TaskDetails, createdAt: number) {
    this.id = `${kind}_${randomBytes(12).toString('hex')}`;
    this.kind = kind;
    this.details = details;
    this.createdAt = createdAt;
  }

  get finished(): boolean {
    return this.state === 'succeeded' || this.state === 'failed';
  }
}

const maxTasks = 500;
const maxUnfinished = 200;

/** The tasks of one account. The oldest finished ones are forgotten where there are more than 500. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();

  /** Throws a 429 where 200 tasks are unfinished. */
  open(kind: TaskKind, details: TaskDetails, now: number): Task {
    const unfinished = [...this.#tasks.values()].filter((task) => !task.finished).length;
    if (unfinished >= maxUnfinished)
      throw new ApiError(429, `${maxUnfinished} tasks of this key are unfinished; wait for one of them.`, {
        code: 'too_many_tasks',
        headers: { 'retry-after': '10' },
      });
    const task = new Task(kind, details, now);
    this.#tasks.set(task.id, task);
    if (this.#tasks.size > maxTasks) this.#forgetOne();
    return task;
  }

  /** Throws a 404 where this key has no such task. */
  get(kind: TaskKind, id: string): Task {
    const task = this.#tasks.get(id);
    if (task?.kind === kind) return task;
    throw new ApiError(404, `This key has no ${kind} task with the id given.`, {
      code: 'task_not_found',
      param: 'id',
    });
  }

  cancelAll(): void {
    for (const task of this.#tasks.values()) task.cancelled.abort();
  }

  #forgetOne(): void {
    for (const task of this.#tasks.values()) {
      if (!task.finished) continue;
      this.#tasks.delete(task.id);
      return;
    }
  }
}
