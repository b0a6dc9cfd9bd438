import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { meteredCall } from '../account/meter.ts';
import { Task, taskOrder, type TaskStorage } from './tasks.ts';

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

  /** The task storage of one key. */
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
