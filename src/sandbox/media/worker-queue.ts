import { parentPort, Worker } from 'node:worker_threads';
import { UnreadableReference } from './sizes.ts';

/** A worker thread ended before its job was done. */
export class WorkerCrashed extends Error {
  override readonly name = 'WorkerCrashed';
}

/** The queue was closed before the job was done. */
export class QueueClosed extends Error {
  override readonly name = 'QueueClosed';
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

/** A worker thread for one kind of job, one at a time, first in, first out. It starts with the first job. */
export class WorkerQueue<Job, Result> {
  readonly #script: URL;
  readonly #oneJobEach: boolean;
  readonly #waiting = new Set<Task<Job, Result>>();
  #running: Task<Job, Result> | undefined;
  #worker: Worker | undefined;
  #isClosed = false;

  /**
   * `script` is the module that calls `serve`. With `oneJobEach` every job has a thread of its own, which frees the
   * memory its libraries hold.
   */
  constructor(script: URL, { oneJobEach }: { readonly oneJobEach: boolean }) {
    this.#script = script;
    this.#oneJobEach = oneJobEach;
  }

  /**
   * Runs a job. An aborted job rejects at once; its thread is terminated.
   * @throws the signal's reason, WorkerCrashed, QueueClosed, or the job's own error
   */
  run(job: Job, options: RunOptions = {}): Promise<Result> {
    const { signal } = options;
    if (this.#isClosed) return Promise.reject(new QueueClosed('the queue is closed'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const task = { job, options, resolve, reject };
    const onAbort = () => {
      task.reject(signal?.reason);
      this.#waiting.delete(task);
      if (task === this.#running) void this.#dismiss();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(task);
    this.#startNext();
    return promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  /** Terminates the thread; running and waiting jobs fail with QueueClosed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new QueueClosed('the queue was closed');
    this.#running?.reject(closed);
    for (const task of this.#waiting) task.reject(closed);
    this.#waiting.clear();
    await this.#dismiss();
  }

  #startNext(): void {
    const [task] = this.#waiting;
    if (!task || this.#running) return;
    this.#waiting.delete(task);
    this.#running = task;
    this.#worker ??= this.#hire();
    this.#worker.ref();
    this.#worker.postMessage(task.job);
  }

  #hire(): Worker {
    const worker = new Worker(this.#script);
    const lose = (cause: unknown) => {
      if (worker !== this.#worker) return;
      this.#running?.reject(new WorkerCrashed('the worker ended before the job was done', { cause }));
      void this.#dismiss();
    };
    worker.on('message', (message: Message<Result>) => {
      if (worker === this.#worker) this.#hear(message);
    });
    worker.on('error', lose);
    worker.on('exit', (code) => lose(`exit code ${code}`));
    return worker;
  }

  #hear(message: Message<Result>): void {
    const task = this.#running;
    if ('progress' in message) {
      task?.options.onProgress?.(message.progress);
      return;
    }
    if ('result' in message) task?.resolve(message.result);
    else if (message.reference === undefined) task?.reject(message.error);
    else task?.reject(new UnreadableReference(message.reference));
    if (this.#oneJobEach) {
      void this.#dismiss();
      return;
    }
    this.#running = undefined;
    // An idle one doesn't keep the process alive.
    this.#worker?.unref();
    this.#startNext();
  }

  /** Ends the thread with whatever it does; another one starts with the next job. */
  async #dismiss(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#running = undefined;
    this.#startNext();
    await worker?.terminate();
  }
}
