import { Worker } from 'node:worker_threads';
import { errorOf, type Message } from './messages.ts';

/** A worker thread ended before its job was done. */
export class WorkerCrashed extends Error {
  override readonly name = 'WorkerCrashed';
}

/** The pool was closed before the job was done. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
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
  readonly #waiting: Task<Job, Result>[] = [];
  readonly #idle: Worker[] = [];
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
    if (this.#isClosed) return Promise.reject(new PoolClosed('the lane is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const task = { job, options, resolve, reject };
    const onAbort = () => this.#giveUp(task, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(task);
    this.#startNext();
    return promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  /** Terminates all workers; running and waiting jobs fail with PoolClosed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#waiting.splice(0)) task.reject(new PoolClosed('the lane was closed'));
    const running = [...this.#busy];
    this.#busy.clear();
    for (const [, task] of running) task.reject(new PoolClosed('the lane was closed'));
    await Promise.all(
      [...this.#idle.splice(0), ...running.map(([worker]) => worker)].map((worker) => worker.terminate()),
    );
  }

  #startNext(): void {
    if (this.#isClosed || this.#busy.size >= this.#options.workers) return;
    const task = this.#waiting.shift();
    if (!task) return;
    const worker = this.#idle.pop() ?? this.#hire();
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
    if (message.kind === 'progress') {
      task.options.onProgress?.(message.progress);
      return;
    }
    this.#release(worker);
    if (message.kind === 'result') task.resolve(message.result);
    else task.reject(errorOf(message.failure));
    this.#startNext();
  }

  #release(worker: Worker): void {
    this.#busy.delete(worker);
    if (this.#options.oneJobEach) {
      void worker.terminate();
      return;
    }
    worker.unref();
    this.#idle.push(worker);
  }

  #lose(worker: Worker, cause: unknown): void {
    const task = this.#busy.get(worker);
    this.#busy.delete(worker);
    const place = this.#idle.indexOf(worker);
    if (place >= 0) this.#idle.splice(place, 1);
    task?.reject(new WorkerCrashed('the worker ended before the job was done', { cause }));
    this.#startNext();
  }

  #giveUp(task: Task<Job, Result>, reason: unknown): void {
    const place = this.#waiting.indexOf(task);
    if (place >= 0) this.#waiting.splice(place, 1);
    const worker = [...this.#busy].find(([, running]) => running === task)?.[0];
    if (worker) {
      this.#busy.delete(worker);
      void worker.terminate();
    }
    task.reject(reason);
    this.#startNext();
  }
}
