import { randomBytes } from 'node:crypto';
import type { Fault } from '../faults.ts';
import { ApiError } from '../http/api-error.ts';
import type { MeteredCall } from '../meter.ts';

export type TaskKind = 'image' | 'video';
export type TaskState = 'queued' | 'processing' | 'succeeded' | 'failed';

/** What a task is about, as its record shows it. */
export type TaskDetails = Readonly<Record<string, unknown>>;

/** What a task is made from; the same order makes the same file again. */
export interface TaskOrder extends Pick<MeteredCall, 'requestId' | 'conversation'> {
  /** The parameters of the request, with the seed where one was chosen for it. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
}

/** Where tasks are kept so that they outlive the process; neither rejects. */
export interface TaskKeeper {
  save(task: Task): Promise<void>;
  remove(task: Task): Promise<void>;
}

/** An image or video in the making. */
export class Task {
  readonly id: string;
  readonly kind: TaskKind;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly details: TaskDetails;
  /** Until it is finished. */
  order: TaskOrder | undefined;
  state: TaskState = 'queued';
  /** From 0 to 1. */
  progress: (now: number) => number = () => 0;
  /** Name of the finished file. */
  file: string | undefined;
  error: ReturnType<ApiError['body']> | undefined;
  /** What the meter shows for it. */
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

/** The tasks of one account. The oldest finished ones are forgotten where there are more than 500. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #keeper: TaskKeeper | undefined;

  constructor(keeper?: TaskKeeper) {
    this.#keeper = keeper;
  }

  /** Throws a 429 where 200 tasks are unfinished. */
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

  /** Makes a task of before known again. */
  add(task: Task): void {
    this.#tasks.set(task.id, task);
    if (this.#tasks.size > maxTasks) this.#forgetOne();
  }

  /** Resolves when the task as it is now would be known after a restart. */
  async keep(task: Task): Promise<void> {
    if (this.#tasks.has(task.id)) await this.#keeper?.save(task);
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

  /** Takes what was metered off all tasks, as the meter begins again. */
  forgetMetered(): void {
    for (const task of this.#tasks.values()) {
      if (!task.metered) continue;
      task.metered = undefined;
      void this.keep(task);
    }
  }

  /** Stops and forgets all of them. */
  forgetAll(): void {
    for (const task of this.#tasks.values()) this.forget(task);
  }

  forget(task: Task): void {
    task.cancelled.abort();
    this.#tasks.delete(task.id);
    void this.#keeper?.remove(task);
  }

  #forgetOne(): void {
    for (const task of this.#tasks.values()) {
      if (!task.finished) continue;
      this.forget(task);
      return;
    }
  }
}
