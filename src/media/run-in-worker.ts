import { parentPort, Worker } from 'node:worker_threads';
import { type Clock, systemClock, unlessAborted } from '../lib/clock.ts';
import { joined } from './marks/pieces.ts';

/** Milliseconds that work on one file may take. */
export const mediaTimeLimit = 30_000;
/** A worker's JavaScript heap, in MiB; the files themselves aren't part of it. */
const maxHeap = 512;
/**
 * Milliseconds for which a thread waits for its next task: to start one and load a codec takes several times as long as to
 * convert most clips.
 */
const idleTime = 60_000;
/** A thread that had a larger file, in bytes, ends: it would keep the memory. */
const mostKept = 4 * 2 ** 20;

/** Work on a file took too long, or its thread crashed. */
export class MediaWorkError extends Error {
  override name = 'MediaWorkError';
}

/** Anything that can be sent to a thread; `bytes` arrive as a copy. */
export interface Task {
  readonly bytes?: Uint8Array;
  readonly [option: string]: unknown;
}

export interface WorkOptions {
  /** The system clock by default. A thread runs in real time, whatever clock the rest of the bot uses. */
  readonly clock?: Clock | undefined;
  /** Milliseconds until the thread is ended; 30 s by default. */
  readonly timeLimit?: number;
  /** Ends the thread when it's aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress, from 0 to 1. */
  readonly onProgress?: ((progress: number) => void) | undefined;
  /** Whether the thread may wait for its next task, as by default; otherwise its memory is freed at once. */
  readonly isKept?: boolean;
}

/** The messages of a thread about its task. */
type Message<Result> = { readonly progress: number } | { readonly result: Result };

/** Works on the tasks that {@link runInWorker} sends to this thread, one after another. An error ends the thread. */
export function serve<Work>(
  work: (task: Work, onProgress: (progress: number) => void) => Promise<unknown>,
): void {
  parentPort?.on('message', async (task: Work) => {
    const result = await work(task, (progress) => parentPort?.postMessage({ progress }));
    // Transferred, because a copy would block the main thread.
    parentPort?.postMessage({ result }, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);
  });
}

/**
 * Has a worker thread process a task; its script calls {@link serve}. The thread is ended if that takes too long.
 * @throws {MediaWorkError} or the signal's reason
 */
export async function runInWorker<Result>(
  script: URL,
  task: Task,
  { clock = systemClock, timeLimit = mediaTimeLimit, signal, onProgress, isKept = true }: WorkOptions = {},
): Promise<Result> {
  const late = new AbortController();
  const cancel = clock.after(timeLimit, () => late.abort(new MediaWorkError('it took too long')));
  const ended = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  let thread: Thread | undefined;
  let result: Result | undefined;
  const work = async () => {
    // The original may still be needed.
    const bytes = task.bytes && (await joined([task.bytes]));
    ended.throwIfAborted();
    thread = idleThread(script) ?? new Thread(script);
    return thread.run<Result>({ ...task, ...(bytes && { bytes }) }, bytes ? [bytes.buffer] : [], onProgress);
  };
  try {
    result = await unlessAborted(work(), ended);
    return result;
  } finally {
    cancel();
    // One that could make nothing of its file may not be what it was.
    const isGood = result !== undefined && (task.bytes?.byteLength ?? 0) <= mostKept;
    if (isKept && isGood) thread?.keep();
    else thread?.end();
  }
}

/** Threads that wait for their next task. */
const idle = new Set<Thread>();

function idleThread({ href }: URL): Thread | undefined {
  const thread = [...idle].find(({ script }) => script === href);
  if (thread) idle.delete(thread);
  return thread;
}

/** What a thread says about its task goes here. */
interface Listener {
  hears(message: Message<unknown>): void;
  fails(why: string, cause?: unknown): void;
}

/** A worker thread that takes one task after another. */
class Thread {
  readonly script: string;
  readonly #worker: Worker;
  #listener: Listener | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(script: URL) {
    this.script = script.href;
    this.#worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: maxHeap } });
    this.#worker.on('message', (message: Message<unknown>) => this.#listener?.hears(message));
    this.#worker.on('error', (error) => this.#listener?.fails('it failed', error));
    this.#worker.once('exit', () => {
      idle.delete(this);
      this.#listener?.fails('its thread ended without a result');
    });
  }

  run<Result>(
    task: Task,
    transferred: ArrayBuffer[],
    onProgress: WorkOptions['onProgress'],
  ): Promise<Result> {
    clearTimeout(this.#timer);
    return new Promise((resolve, reject) => {
      this.#listener = {
        hears: (message) =>
          'progress' in message ? onProgress?.(message.progress) : resolve(message.result as Result),
        fails: (why, cause) => reject(new MediaWorkError(why, { cause })),
      };
      this.#worker.ref();
      this.#worker.postMessage(task, transferred);
    });
  }

  /** Waits for its next task, for a while; that doesn't keep the process alive. */
  keep(): void {
    this.#listener = undefined;
    this.#worker.unref();
    idle.add(this);
    this.#timer = setTimeout(() => this.end(), idleTime).unref();
  }

  end(): void {
    idle.delete(this);
    void this.#worker.terminate();
  }
}

/** Limits how many tasks run at once; the others wait in order. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many tasks wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
