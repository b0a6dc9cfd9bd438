import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

const fields = z.object({
  key: z.string(),
  id: z.string().regex(/^(?:image|video)_[0-9a-f]{24}$/),
  kind: z.enum(['image', 'video']),
  createdAt: z.number(),
  details: z.record(z.string(), z.unknown()),
  /** Only of unfinished tasks. */
  order: taskOrder.optional(),
  /** Only of finished tasks. */
  state: z.enum(['succeeded', 'failed']).optional(),
  file: z.string().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), type: z.string(), param: z.string().nullable() })
    .optional(),
  metered: meteredCall.extend({ time: z.number() }).optional(),
});
const record = fields.refine(({ order, state }) => order !== undefined || state !== undefined);

/** A task of an earlier process, with its key. */
export interface StoredTask {
  readonly key: string;
  readonly task: Task;
}

/**
 * Stores tasks on disk, one JSON file each, so that they survive a restart: the request of an unfinished task,
 * the result of a finished one.
 */
export class TaskFolder {
  readonly #folder: string;
  readonly #report: (error: unknown) => void;
  /** Writes run one at a time, so that a task's last state wins. */
  #last: Promise<void> = Promise.resolve();

  /** A failed write is reported; only the next process misses the task. */
  constructor(folder: string, report: (error: unknown) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  /** Loads the tasks of earlier processes, oldest first; unreadable files are deleted. */
  async load(): Promise<StoredTask[]> {
    await mkdir(this.#folder, { recursive: true });
    const kept: StoredTask[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = name.endsWith('.json') ? await read(path) : undefined;
      if (found) kept.push(found);
      else await rm(path, { force: true });
    }
    return kept.sort((one, other) => one.task.createdAt - other.task.createdAt);
  }

  storage(key: string): TaskStorage {
    return {
      save: (task) => this.#next(() => this.#write(key, task)),
      remove: ({ id }) => this.#next(() => rm(this.#path(id), { force: true })),
    };
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#last;
  }

  async #write(key: string, task: Task): Promise<void> {
    const { id, kind, createdAt, details, state, order, file, error, metered } = task;
    const kept: z.input<typeof record> = {
      ...{ key, id, kind, createdAt, details },
      ...(state === 'succeeded' || state === 'failed' ? { state, file, error, metered } : { order }),
    };
    const path = this.#path(id);
    await writeFile(`${path}.part`, JSON.stringify(kept));
    await rename(`${path}.part`, path);
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work).catch(this.#report);
    return this.#last;
  }
}

async function read(path: string): Promise<StoredTask | undefined> {
  try {
    const { key, kind, details, createdAt, id, order, state, file, error, metered } = record.parse(
      JSON.parse(await readFile(path, 'utf8')),
    );
    const task = new Task(kind, details, createdAt, id);
    task.order = order;
    task.file = file;
    task.error = error;
    task.metered = metered;
    if (state) task.finish(state);
    return { key, task };
  } catch {
    return undefined;
  }
}
