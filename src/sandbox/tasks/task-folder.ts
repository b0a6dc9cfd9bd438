import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { faultKinds, faultTimes } from '../faults.ts';
import { operations } from '../meter.ts';
import { Task, type TaskKeeper } from './tasks.ts';

const values = z.record(z.string(), z.unknown());
const conversation = z.string().optional();
const fault = z.object({
  kind: z.enum(faultKinds),
  when: z.enum(faultTimes),
  status: z.number(),
  seconds: z.number(),
  retryAfter: z.string().exactOptional(),
  afterDeltas: z.number().exactOptional(),
});
const fields = z.object({
  key: z.string(),
  id: z.string().regex(/^(?:image|video)_[0-9a-f]{24}$/),
  kind: z.enum(['image', 'video']),
  createdAt: z.number(),
  details: values,
  /** Of unfinished ones. */
  order: z
    .object({ parameters: values, faults: z.array(fault), requestId: z.string(), conversation })
    .optional(),
  /** Of finished ones. */
  state: z.enum(['succeeded', 'failed']).optional(),
  file: z.string().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), type: z.string(), param: z.string().nullable() })
    .optional(),
  metered: z
    .object({
      operation: z.enum(operations),
      requestId: z.string(),
      conversation,
      microcredits: z.number(),
      detail: values.exactOptional(),
      time: z.number(),
    })
    .optional(),
});
const record = fields.refine(({ order, state }) => order !== undefined || state !== undefined);

/** A task of a former process, and whose it is. */
export interface KeptTask {
  readonly key: string;
  readonly task: Task;
}

/**
 * Tasks on the disk, a small file each, so that they outlive the process: what an unfinished one is made from, and
 * where a finished one's result is. As many as the accounts keep.
 */
export class TaskFolder {
  readonly #folder: string;
  readonly #report: (error: unknown) => void;
  /** Writes happen one after the other, so that the last state of a task is what stays. */
  #last: Promise<void> = Promise.resolve();

  /** A disk that cannot be written to is reported, and only the next process misses what it lacks. */
  constructor(folder: string, report: (error: unknown) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  /** The tasks of former processes, oldest first; what cannot be read is removed. */
  async load(): Promise<KeptTask[]> {
    await mkdir(this.#folder, { recursive: true });
    const kept: KeptTask[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = name.endsWith('.json') ? await read(path) : undefined;
      if (found) kept.push(found);
      else await rm(path, { force: true });
    }
    return kept.sort((one, other) => one.task.createdAt - other.task.createdAt);
  }

  /** What keeps the tasks of one key. */
  keeper(key: string): TaskKeeper {
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
      ...(state === 'succeeded' || state === 'failed'
        ? { state, file, error, metered }
        : { order: order && { ...order, faults: [...order.faults] } }),
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

async function read(path: string): Promise<KeptTask | undefined> {
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
