import type { Clock } from './clock.ts';

/**
 * What some work gives. Once `signal` is aborted it isn't waited for any longer, and how it ends counts for nothing.
 * @throws the signal's reason.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/** Does work when it is first asked for; who asks again gets the same outcome. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** What some work gives, or something else where it takes longer than so many milliseconds. */
export function inTime<T, U>(clock: Clock, limit: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  let cancel = () => {};
  const late = new Promise<U>((resolve) => {
    cancel = clock.after(limit, () => resolve(otherwise));
  });
  return Promise.race([work, late]).finally(cancel);
}

/** Runs the work for one key one piece at a time, in the order it was given. A key without work takes no memory. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` when everything given before it for `key` has ended, however it ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before ? before.then(work, work) : work();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  /** Keys with work under way or waiting. */
  get size(): number {
    return this.#last.size;
  }
}

/**
 * Does for many what each of them asks for: one run at a time for each key, and all who ask before it has begun share the
 * next one.
 */
export class SharedRuns<T> {
  readonly #queue = new KeyedQueue();
  readonly #next = new Map<string, Promise<T>>();

  /** What a run brings that begins after this call. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const next =
      this.#next.get(key) ??
      this.#queue.run(key, async () => {
        // Those who ask at the same moment share it, too.
        await Promise.resolve();
        this.#next.delete(key);
        return work();
      });
    this.#next.set(key, next);
    return next;
  }
}

/**
 * Asked before anything that reaches people or costs credits. Undefined where no other process can have taken this one
 * for dead. Otherwise it resolves once the database has confirmed that nobody did; where somebody did it never resolves,
 * and the process ends.
 */
export type UntilAlive = () => Promise<void> | undefined;
