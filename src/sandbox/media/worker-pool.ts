import { parentPort, Worker } from 'node:worker_threads';
import { UnreadableReference } from './reference-picture.ts';

/** A worker thread ended before its job was done. */
export class WorkerCrashed extends Error {
  override readonly name = 'WorkerCrashed';
}

/** The pool was closed before the job was done. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}

/** A message of a worker about its job. An error loses its class on the way, so that it goes with its data. */
type Message<Result> =
  | { readonly progress: number }
  | { readonly result: Result }
  | { readonly error: unknown; readonly reference?: number };

/** Runs jobs on this worker thread, one at a time. */
export function serve<Job>(
  work: (job: Job, onProgress: (progress: number) => void) => Promise<unknown>,
): void {
  const say = (message: Message<unknown>) => parentPort?.postMessage(message);
  parentPort?.on('message', (job: Job) => {
    work(job, (progress) => say({ progress })).then(
      (result) => say({ result }),
      (error) => say({ error, ...(error instanceof UnreadableReference && { reference: error.index }) }),
    );
  });
}

export interface PoolOptions {
  /** The module that calls `serve`. */
  readonly script: URL;
  /** How many jobs run at once. */
  readonly workers: number;
  /** Whether a worker ends after one job, to free the memory its libraries hold. */
  readonly oneJobEach: boolean;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: number) => void) | undefined;
}

interface Task<Job, Result> {
  readonly job: Job;
  readonly options: RunOptions;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/** A pool of worker threads for one kind of job, first in, first out. Workers start on demand. */
export class WorkerPool<Job, Result> {
  readonly #options: PoolOptions;
  readonly #waiting = new Set<Task<Job, Result>>();
  readonly #idle = new Set<Worker>();
  readonly #busy = new Map<Worker, Task<Job, Result>>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a job. An aborted job rejects at once; its worker is terminated and replaced.
   * @throws the signal's reason, WorkerCrashed, PoolClosed, or the job's own error
   */
  run(job: Job, options: RunOptions = {}): Promise<Result> {
    const { signal } = options;
    if (this.#isClosed) return Promise.reject(new PoolClosed('the pool is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const task = { job, options, resolve, reject };
    const onAbort = () => this.#giveUp(task, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(task);
    this.#startNext();
    return promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  /** Terminates all workers; running and waiting jobs fail with PoolClosed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#idle, ...this.#busy.keys()];
    for (const task of [...this.#waiting, ...this.#busy.values()])
      task.reject(new PoolClosed('the pool was closed'));
    this.#waiting.clear();
    this.#busy.clear();
    this.#idle.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #startNext(): void {
    const [task] = this.#waiting;
    if (!task || this.#busy.size >= this.#options.workers) return;
    this.#waiting.delete(task);
    const [idle] = this.#idle;
    const worker = idle ?? this.#hire();
    this.#idle.delete(worker);
    this.#busy.set(worker, task);
    worker.ref();
    worker.postMessage(task.job);
  }

  #hire(): Worker {
    const worker = new Worker(this.#options.script);
    worker.on('message', (message: Message<Result>) => this.#hear(worker, message));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', (code) => this.#lose(worker, `exit code ${code}`));
    return worker;
  }

  #hear(worker: Worker, message: Message<Result>): void {
    const task = this.#busy.get(worker);
    if (!task) return;
    if ('progress' in message) {
      task.options.onProgress?.(message.progress);
      return;
    }
    this.#busy.delete(worker);
    if (this.#options.oneJobEach) void worker.terminate();
    else this.#idle.add(worker);
    // An idle one doesn't keep the process alive.
    worker.unref();
    if ('result' in message) task.resolve(message.result);
    else
      task.reject(
        message.reference === undefined ? message.error : new UnreadableReference(message.reference),
      );
    this.#startNext();
  }

  #lose(worker: Worker, cause: unknown): void {
    const task = this.#busy.get(worker);
    this.#busy.delete(worker);
    this.#idle.delete(worker);
    task?.reject(new WorkerCrashed('the worker ended before the job was done', { cause }));
    this.#startNext();
  }

  #giveUp(task: Task<Job, Result>, reason: unknown): void {
    this.#waiting.delete(task);
    const worker = [...this.#busy].find(([, running]) => running === task)?.[0];
    if (worker) {
      this.#busy.delete(worker);
      void worker.terminate();
    }
    task.reject(reason);
    this.#startNext();
  }
}
